/** Secrets the organisation keeps under a name: written, never read. */
import { queryOptions } from "@tanstack/react-query";
import { api, data, type Schemas } from "~/api/client";

export type Credential = Schemas["CredentialOut"];

export const credentialsQuery = queryOptions({
  queryKey: ["credentials"],
  queryFn: async ({ signal }) => {
    const credentials: Credential[] = [];
    let cursor: string | null = null;
    do {
      const query: { limit: number; cursor?: string } =
        cursor === null ? { limit: 200 } : { limit: 200, cursor };
      const page: Schemas["CredentialsPage"] = await data(
        api.GET("/api/credentials", { params: { query }, signal }),
      );
      credentials.push(...page.items);
      cursor = page.next_cursor;
    } while (cursor !== null);
    return credentials;
  },
});

export function createCredential(body: Schemas["CredentialIn"]): Promise<Credential> {
  return data(api.POST("/api/credentials", { body }));
}

export function replaceCredential(name: string, body: Schemas["CredentialChange"]): Promise<Credential> {
  return data(
    api.PUT("/api/credentials/{credential_name}", { params: { path: { credential_name: name } }, body }),
  );
}

export async function deleteCredential(name: string): Promise<void> {
  await api.DELETE("/api/credentials/{credential_name}", { params: { path: { credential_name: name } } });
}
