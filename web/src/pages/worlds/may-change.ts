import { useQuery } from "@tanstack/react-query";
import { sessionQuery } from "~/api/queries";

export const VIEWERS_READ = "Viewers may read worlds but not change them";

/** Whether this person may change worlds. */
export function useMayChange(): boolean {
  const role = useQuery(sessionQuery).data?.person.role;
  return role !== undefined && role !== "viewer";
}
