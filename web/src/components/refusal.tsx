import { Alert } from "@mantine/core";
import { IconAlertTriangle } from "@tabler/icons-react";
import { asProblem } from "~/api/problem";

interface RefusalProps {
  error: unknown;
  title?: string;
}

/** Why the last attempt was refused, to stand beside the button that was pressed. */
export function Refusal({ error, title }: RefusalProps) {
  if (error === null || error === undefined) return null;
  const problem = asProblem(error);
  const unreachable = problem.status === 0;
  return (
    <Alert
      role="alert"
      color={unreachable ? "gray" : "red"}
      variant="light"
      py="xs"
      icon={<IconAlertTriangle size={16} />}
      title={title ?? problem.title}
    >
      {problem.detail}
    </Alert>
  );
}
