import { Button } from "@mantine/core";
import { IconChecklist, IconFileImport, IconPlus } from "@tabler/icons-react";
import { ButtonLink } from "~/components/page";
import { Empty } from "~/components/states";

export function NoScenarios({ mayChange, onImport }: { mayChange: boolean; onImport: () => void }) {
  return (
    <Empty
      icon={<IconChecklist size={32} stroke={1.5} />}
      title="No scenarios yet"
      action={
        mayChange ? (
          <>
            <ButtonLink to="/scenarios/new" leftSection={<IconPlus size={15} />}>
              Write the first
            </ButtonLink>
            <Button variant="default" leftSection={<IconFileImport size={15} />} onClick={onImport}>
              Import a file
            </Button>
          </>
        ) : (
          "Ask a member of your organisation to write one."
        )
      }
    >
      A scenario is one decision of an agent: what it is asked, and what it should do. It is run as it is and
      under pressure, and the two are compared. Three to five are enough to begin with: take decisions where a
      wrong answer would hurt. {mayChange && "A YAML or JSON file can also be dropped here."}
    </Empty>
  );
}
