import { useQuery } from "@tanstack/react-query";
import { sessionQuery } from "~/api/queries";

export function useIsAdmin(): boolean {
  return useQuery(sessionQuery).data?.person.role === "admin";
}

/** Whether this person may change what the organisation keeps: worlds, datasets, runs. */
export function useMayChange(): boolean {
  const role = useQuery(sessionQuery).data?.person.role;
  return role !== undefined && role !== "viewer";
}
