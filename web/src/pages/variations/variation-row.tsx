import { ActionIcon, Tooltip, UnstyledButton } from "@mantine/core";
import { IconChevronRight, IconCopy, IconPencil } from "@tabler/icons-react";
import { DOSES, deleteVariation, RECORDS, type Variation, variationsQuery } from "~/api/variations";
import { ConfirmedDelete } from "~/components/confirmed-delete";
import { counted } from "~/components/counted";
import { Doses } from "~/pages/variations/doses";
import classes from "~/pages/variations/variations.module.css";

interface VariationRowProps {
  variation: Variation;
  open: boolean;
  onToggle: (open: boolean) => void;
  /** Undefined where it cannot be changed. */
  onEdit: (() => void) | undefined;
  onCopy: (() => void) | undefined;
}

export function VariationRow({ variation, open, onToggle, onEdit, onCopy }: VariationRowProps) {
  const { id, name, description, doses } = variation;
  const wordings = DOSES.reduce((sum, dose) => sum + doses[dose].length, 0);
  return (
    <li className={classes.row}>
      <div className={classes.head}>
        <UnstyledButton className={classes.toggle} aria-expanded={open} onClick={() => onToggle(!open)}>
          <IconChevronRight size={14} aria-hidden className={classes.chevron} data-open={open || undefined} />
          <span className={classes.words}>
            <span className={classes.name}>{name}</span>
            <span className={classes.about}>{description}</span>
          </span>
          <span className={classes.count}>{counted(wordings, "wording")}</span>
        </UnstyledButton>
        {onCopy && <Tool label={`Begin with a copy of ${name}`} icon={IconCopy} onClick={onCopy} />}
        {onEdit && <Tool label={`Edit ${name}`} icon={IconPencil} onClick={onEdit} />}
        {onEdit && id !== null && (
          <ConfirmedDelete
            what={name}
            consequence="It can no longer be chosen. Runs under it keep their texts and stay whole."
            remove={() => deleteVariation(id)}
            queryKey={variationsQuery.queryKey}
          />
        )}
      </div>
      {open && (
        <div className={classes.body}>
          {DOSES.some((dose) => doses[dose].some((text) => text.includes(RECORDS))) && (
            <p className={classes.note}>
              <code>{RECORDS}</code> stands for records that have nothing to do with the input and are ten
              times as long; each run’s seed draws its own. Their placebo is as many empty lines.
            </p>
          )}
          <Doses variation={variation} />
        </div>
      )}
    </li>
  );
}

function Tool({ label, icon: Icon, onClick }: { label: string; icon: typeof IconCopy; onClick: () => void }) {
  return (
    <Tooltip label={label}>
      <ActionIcon variant="subtle" color="gray" aria-label={label} onClick={onClick}>
        <Icon size={15} />
      </ActionIcon>
    </Tooltip>
  );
}
