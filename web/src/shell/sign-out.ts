import { notifications } from "@mantine/notifications";
import { api } from "~/api/client";
import { asProblem } from "~/api/problem";

export async function signOut(): Promise<void> {
  try {
    await api.DELETE("/api/auth/session");
  } catch (error) {
    const problem = asProblem(error);
    if (problem.status !== 401) {
      notifications.show({ color: "red", title: "You are still signed in", message: problem.detail });
      return;
    }
  }
  window.location.assign("/signin"); // a full load, so that nothing of this person stays in memory
}
