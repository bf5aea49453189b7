import { Button, Menu, Text } from "@mantine/core";
import { IconArrowsDiff } from "@tabler/icons-react";
import { useQuery } from "@tanstack/react-query";
import { createLink } from "@tanstack/react-router";
import { forwardRef, useState } from "react";
import { type Matrix, type MatrixSummary, matricesQuery } from "~/api/matrices";
import { nameOf } from "~/pages/matrices/matrix-name";

const MOST_OFFERED = 15;

const MenuLink = createLink(
  forwardRef<HTMLAnchorElement, React.ComponentProps<typeof Menu.Item<"a">>>(function MenuLink(props, ref) {
    return <Menu.Item component="a" {...props} ref={ref} />;
  }),
);

/** Other matrices of this agent; the older of the two is what the newer is held against. */
export function CompareMenu({ matrix }: { matrix: Matrix }) {
  const [opened, setOpened] = useState(false);
  const { data } = useQuery({
    ...matricesQuery({ agent_id: matrix.agent_id }, MOST_OFFERED + 1),
    enabled: opened,
  });
  const others = data?.items.filter(({ id }) => id !== matrix.id);
  const pair = (other: MatrixSummary) =>
    other.created_at < matrix.created_at
      ? { before: other.id, after: matrix.id }
      : { before: matrix.id, after: other.id };
  return (
    <Menu position="bottom-end" opened={opened} onChange={setOpened} width={320}>
      <Menu.Target>
        <Button variant="default" leftSection={<IconArrowsDiff size={15} />}>
          Compare with…
        </Button>
      </Menu.Target>
      <Menu.Dropdown>
        <Menu.Label>Matrices of this agent</Menu.Label>
        {others === undefined && <Menu.Item disabled>Loading</Menu.Item>}
        {others?.length === 0 && <Menu.Item disabled>There is no other one yet</Menu.Item>}
        {others?.map((other) => (
          <MenuLink key={other.id} to="/matrices/compare" search={pair(other)}>
            <Text size="sm" truncate>
              {nameOf(other)}
              {other.name !== "" && `, v${other.agent_version}`}
            </Text>
          </MenuLink>
        ))}
      </Menu.Dropdown>
    </Menu>
  );
}
