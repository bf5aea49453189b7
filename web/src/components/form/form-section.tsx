import { Stack, Text } from "@mantine/core";
import type { ReactNode } from "react";
import classes from "~/components/form/form.module.css";

/** A part of the form: what it is about on the left, its fields on the right. */
export function FormSection({
  title,
  about,
  children,
}: {
  title: string;
  about: ReactNode;
  children: ReactNode;
}) {
  return (
    <section className={classes.section} aria-label={title}>
      <div>
        <Text component="h2" fw={600} size="sm">
          {title}
        </Text>
        <Text size="xs" c="var(--ody-text-dim)" mt={2}>
          {about}
        </Text>
      </div>
      <Stack gap="sm">{children}</Stack>
    </section>
  );
}
