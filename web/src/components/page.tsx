import { Anchor, Breadcrumbs, Button, Group, Paper, Stack, Text, Title } from "@mantine/core";
import { useDocumentTitle } from "@mantine/hooks";
import { createLink } from "@tanstack/react-router";
import { type CSSProperties, forwardRef, type ReactNode } from "react";
import { Curl, type CurlRequest } from "~/components/curl";

/** Mantine's anchor with the router's typed `to`, `params` and `search`. */
export const TextLink = createLink(
  forwardRef<HTMLAnchorElement, React.ComponentProps<typeof Anchor<"a">>>(function TextLink(props, ref) {
    return <Anchor size="sm" {...props} ref={ref} />;
  }),
);

/** A link that looks like a button. */
export const ButtonLink = createLink(
  forwardRef<HTMLAnchorElement, React.ComponentProps<typeof Button<"a">>>(function ButtonLink(props, ref) {
    return <Button component="a" {...props} ref={ref} />;
  }),
);

interface PageProps {
  title: string;
  /** Links that lead here, outermost first. */
  trail?: ReactNode[];
  /** Beside the title: badges. */
  marks?: ReactNode;
  actions?: ReactNode;
  /** The requests behind this page, to copy. */
  curl: CurlRequest[];
  children: ReactNode;
}

/** Every page: where it is, what it is called, what can be done, and how to ask for it with curl. */
export function Page({ title, trail = [], marks, actions, curl, children }: PageProps) {
  useDocumentTitle(`${title} · Odyssey`);
  return (
    <Stack gap="md">
      <header>
        {trail.length > 0 && (
          <Breadcrumbs separator="/" mb={4}>
            {trail}
          </Breadcrumbs>
        )}
        <Group justify="space-between" gap="sm">
          <Group gap="sm" miw={0}>
            <Title order={1} size="h3" style={{ overflowWrap: "anywhere" }}>
              {title}
            </Title>
            {marks}
          </Group>
          <Group gap="xs">
            {actions}
            <Curl requests={curl} />
          </Group>
        </Group>
      </header>
      {children}
    </Stack>
  );
}

interface PanelProps {
  title?: string;
  /** Right of the title. */
  tools?: ReactNode;
  /** No padding: for tables that reach the edge. */
  flush?: boolean;
  style?: CSSProperties;
  children: ReactNode;
}

export function Panel({ title, tools, flush = false, style, children }: PanelProps) {
  return (
    <Paper withBorder bg="var(--ody-surface)" component="section" aria-label={title} style={style ?? {}}>
      {(title || tools) && (
        <Group
          justify="space-between"
          px="md"
          py="xs"
          gap="xs"
          style={{ borderBottom: "1px solid var(--ody-line)" }}
        >
          <Text component="h2" fw={600} size="sm" miw={0} style={{ overflowWrap: "anywhere" }}>
            {title}
          </Text>
          {tools}
        </Group>
      )}
      <div style={flush ? {} : { padding: "var(--mantine-spacing-md)" }}>{children}</div>
    </Paper>
  );
}
