import { UnstyledButton } from "@mantine/core";
import { Fragment, type ReactNode, useState } from "react";
import classes from "~/components/comparison/side-by-side.module.css";
import { counted } from "~/components/counted";

const BESIDE = 3;
const FEWEST_FOLDED = 4;
const FEWEST_OF_ALL = 13; // where nothing differs, so that something short is seen
const MOST_SHOWN = 300;

interface FoldingProps<Item> {
  items: Item[];
  isSame: (item: Item) => boolean;
  what: string;
  render: (item: Item) => ReactNode;
}

/** Items in their order; what is the same and far from any difference is opened on demand. */
export function Folding<Item>({ items, isSame, what, render }: FoldingProps<Item>) {
  const [most, setMost] = useState(MOST_SHOWN);
  const stretches = stretchesOf(items, isSame);
  let room = most;
  const shown = stretches.flatMap((stretch) => {
    if (room <= 0) return [];
    const kept = stretch.folded ? stretch.items : stretch.items.slice(0, room);
    room -= stretch.folded ? 1 : kept.length;
    return [{ ...stretch, items: kept }];
  });
  const left = items.length - shown.reduce((total, stretch) => total + stretch.items.length, 0);
  return (
    <>
      {shown.map(({ items: those, folded, from }) =>
        folded ? (
          <Folded key={from} label={`${counted(those.length, what)} the same`}>
            {those.map(({ item, at }) => (
              <Fragment key={at}>{render(item)}</Fragment>
            ))}
          </Folded>
        ) : (
          <Fragment key={from}>
            {those.map(({ item, at }) => (
              <Fragment key={at}>{render(item)}</Fragment>
            ))}
          </Fragment>
        ),
      )}
      {left > 0 && (
        <UnstyledButton className={classes.fold} onClick={() => setMost(most + 1_000)}>
          {counted(left, what)} more
        </UnstyledButton>
      )}
    </>
  );
}

function Folded({ label, children }: { label: string; children: ReactNode[] }) {
  const [open, setOpen] = useState(false);
  if (open) return children;
  return (
    <UnstyledButton className={classes.fold} onClick={() => setOpen(true)} aria-expanded={false}>
      {label}
    </UnstyledButton>
  );
}

interface Stretch<Item> {
  items: { item: Item; at: number }[];
  folded: boolean;
  from: number;
}

function stretchesOf<Item>(items: Item[], isSame: (item: Item) => boolean): Stretch<Item>[] {
  const kept = items.map(() => false);
  items.forEach((item, at) => {
    if (isSame(item)) return;
    for (let near = Math.max(0, at - BESIDE); near <= Math.min(items.length - 1, at + BESIDE); near += 1) {
      kept[near] = true;
    }
  });
  const stretches: Stretch<Item>[] = [];
  items.forEach((item, at) => {
    const folded = !kept[at];
    const last = stretches.at(-1);
    if (last && last.folded === folded) last.items.push({ item, at });
    else stretches.push({ items: [{ item, at }], folded, from: at });
  });
  const fewest = kept.includes(true) ? FEWEST_FOLDED : FEWEST_OF_ALL;
  return stretches.map((stretch) =>
    stretch.items.length < fewest ? { ...stretch, folded: false } : stretch,
  );
}
