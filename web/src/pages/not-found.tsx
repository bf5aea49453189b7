import { IconCompassOff } from "@tabler/icons-react";
import { TextLink } from "~/components/page";
import { Empty } from "~/components/states";

export function NotFoundPage() {
  return (
    <Empty
      icon={<IconCompassOff size={32} />}
      title="There is no such page"
      level={1}
      action={<TextLink to="/">Go to the start page</TextLink>}
    >
      The address may be mistyped, or come from another version of Odyssey.
    </Empty>
  );
}
