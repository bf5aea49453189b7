import { localStorageColorSchemeManager, MantineProvider } from "@mantine/core";
import { QueryClientProvider } from "@tanstack/react-query";
import { createRouter, RouterProvider } from "@tanstack/react-router";
import { Problem } from "~/api/problem";
import { FreshQueryClient } from "~/api/query-client";
import { ErrorState, PageLoading } from "~/components/states";
import { routes } from "~/routes";
import { Notices } from "~/shell/notices";
import { theme } from "~/theme/theme";

const colorScheme = localStorageColorSchemeManager({ key: "odyssey-color-scheme" });
const nonce = document.querySelector<HTMLMetaElement>('meta[name="csp-nonce"]')?.content ?? "";

// Where the library that stops the page behind a dialog from scrolling looks for the nonce of its styles.
Object.assign(window, { __webpack_nonce__: nonce });

/** A refusal will be the same again; only a missing answer is worth asking twice for. */
function worthRetrying(failures: number, error: unknown): boolean {
  return failures < 2 && (!(error instanceof Problem) || error.status === 0 || error.status >= 502);
}

export const queryClient = new FreshQueryClient({
  defaultOptions: { queries: { retry: worthRetrying, staleTime: 5_000 }, mutations: { retry: false } },
});

const router = createRouter({
  routeTree: routes,
  context: { queryClient },
  search: { strict: true }, // what a page does not declare, or refuses, does not exist for it
  defaultPreload: "intent",
  defaultPendingMs: 150,
  defaultPendingMinMs: 0, // a page that is there is shown
  defaultPendingComponent: PageLoading,
  defaultErrorComponent: ({ error }) => <ErrorState error={error} retry={() => void router.invalidate()} />,
  scrollRestoration: true,
});

declare module "@tanstack/react-router" {
  interface Register {
    router: typeof router;
  }
}

export function App() {
  return (
    <MantineProvider
      theme={theme}
      defaultColorScheme="auto"
      colorSchemeManager={colorScheme}
      getStyleNonce={() => nonce}
    >
      <Notices />
      <QueryClientProvider client={queryClient}>
        <RouterProvider router={router} />
      </QueryClientProvider>
    </MantineProvider>
  );
}
