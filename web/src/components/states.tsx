import {
  Alert,
  Anchor,
  Button,
  Center,
  Code,
  Group,
  Loader,
  Skeleton,
  Stack,
  Text,
  Title,
} from "@mantine/core";
import { IconAlertTriangle, IconPlugConnectedX } from "@tabler/icons-react";
import { Link } from "@tanstack/react-router";
import type { ReactNode } from "react";
import { asProblem } from "~/api/problem";

export function PageLoading() {
  return (
    <Center mih={240} role="status" aria-label="Loading">
      <Loader size="sm" />
    </Center>
  );
}

export function RowsLoading({ rows = 8 }: { rows?: number }) {
  return (
    <Stack gap={8} p="sm" role="status" aria-label="Loading">
      {Array.from({ length: rows }, (_, row) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: grey bars have no identity
        <Skeleton key={row} height={18} radius="xs" />
      ))}
    </Stack>
  );
}

interface EmptyProps {
  icon?: ReactNode;
  title: string;
  children?: ReactNode;
  action?: ReactNode;
  /** 1 where this is the whole page. */
  level?: 1 | 3;
}

/** Nothing here, why, and what to do about it. */
export function Empty({ icon, title, children, action, level = 3 }: EmptyProps) {
  return (
    <Stack align="center" gap="xs" py={48} px="md" ta="center">
      <Text c="var(--ody-text-dim)" component="span" lh={1}>
        {icon}
      </Text>
      <Title order={level} size="h5">
        {title}
      </Title>
      <Text c="var(--ody-text-dim)" size="sm" maw={460}>
        {children}
      </Text>
      {action && <Group mt="xs">{action}</Group>}
    </Stack>
  );
}

/** What went wrong, where, and what to do; never a blank page. */
export function ErrorState({ error, retry }: { error: unknown; retry?: () => void }) {
  const problem = asProblem(error);
  if (problem.status === 404) {
    return (
      <Empty
        icon={<IconAlertTriangle size={32} />}
        title="Not here"
        level={1}
        action={
          <Anchor component={Link} to="/">
            Go to the start page
          </Anchor>
        }
      >
        It does not exist, it was deleted, or it belongs to another organisation.
      </Empty>
    );
  }
  const Icon = problem.status === 0 ? IconPlugConnectedX : IconAlertTriangle;
  return (
    <Alert
      m="md"
      color={problem.status === 0 ? "gray" : "red"}
      icon={<Icon size={18} />}
      title={problem.title || "Something went wrong"}
      role="alert"
    >
      <Stack gap="xs" align="flex-start">
        <Text size="sm">{problem.detail}</Text>
        {problem.errors.map((fault) => (
          <Text size="sm" key={`${fault.loc.join(".")}${fault.msg}`}>
            <Code>{fault.loc.join(".")}</Code> {fault.msg}
          </Text>
        ))}
        <Group gap="sm">
          {retry && (
            <Button variant="default" onClick={retry}>
              Try again
            </Button>
          )}
          <Text size="xs" c="var(--ody-text-dim)">
            {problem.code}
            {problem.requestId && `, request ${problem.requestId}`}
          </Text>
        </Group>
      </Stack>
    </Alert>
  );
}
