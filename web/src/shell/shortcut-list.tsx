import { Kbd, Modal } from "@mantine/core";
import { useState } from "react";
import { PALETTE_KEYS, PLACES } from "~/shell/places";
import classes from "~/shell/shell.module.css";

const GROUPS: { title: string; keys: [string[], string][] }[] = [
  {
    title: "Everywhere",
    keys: [
      [PALETTE_KEYS, "Command palette"],
      [["?"], "This list"],
      ...PLACES.map(({ key, label }): [string[], string] => [["g", key], `Go to ${label}`]),
      [["n"], "New run"],
    ],
  },
  {
    title: "In lists and traces",
    keys: [
      [["/"], "Filter"],
      [["↑", "↓"], "Previous and next"],
      [["j", "k"], "Next and previous"],
      [["Enter"], "Open"],
    ],
  },
  {
    title: "Side by side",
    keys: [
      [["n"], "Next difference"],
      [["p"], "Previous difference"],
    ],
  },
  {
    title: "In the review queue",
    keys: [
      [["j", "k"], "Next and previous item"],
      [["1", "…", "5"], "Choose a verdict"],
      [["Enter"], "Confirm it"],
      [["v"], "Confirm it, too"],
      [["m"], "Write notes"],
      [["Esc"], "Leave the notes, or choose none"],
    ],
  },
];

export default function ShortcutList({ opening }: { opening: number }) {
  const [closed, setClosed] = useState(0);
  return (
    <Modal opened={opening > closed} onClose={() => setClosed(opening)} title="Keyboard shortcuts" size="md">
      <div className={classes.shortcuts}>
        {GROUPS.map(({ title, keys }) => (
          <section key={title}>
            <h3>{title}</h3>
            <dl>
              {keys.map(([each, what]) => (
                <div key={what}>
                  <dt>{what}</dt>
                  <dd>
                    {each.map((key) => (
                      <Kbd key={key} size="xs">
                        {key}
                      </Kbd>
                    ))}
                  </dd>
                </div>
              ))}
            </dl>
          </section>
        ))}
      </div>
    </Modal>
  );
}
