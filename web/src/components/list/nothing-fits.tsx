import { Button } from "@mantine/core";
import type { ReactNode } from "react";
import { Empty } from "~/components/states";

interface NothingFitsProps {
  icon?: ReactNode;
  title: string;
  action?: string;
  /** Undefined where there is no filter to take away. */
  onShowAll: (() => void) | undefined;
  children: ReactNode;
}

/** A list has rows, but its filters let none through. */
export function NothingFits({ icon, title, action = "Show all", onShowAll, children }: NothingFitsProps) {
  return (
    <Empty
      icon={icon}
      title={title}
      action={
        onShowAll && (
          <Button variant="default" onClick={onShowAll}>
            {action}
          </Button>
        )
      }
    >
      {children}
    </Empty>
  );
}

interface NoFurtherProps {
  icon: ReactNode;
  noun: string;
  /** On a page that is not the first. */
  further: boolean;
  /** Undefined without filters. */
  onClear: (() => void) | undefined;
  children: ReactNode;
}

/** The same of a list in pages, or its end. */
export function NoFurther({ icon, noun, further, onClear, children }: NoFurtherProps) {
  return (
    <NothingFits
      icon={icon}
      title={further ? `No further ${noun}s` : `No ${noun} matches`}
      action="Clear filters"
      onShowAll={onClear}
    >
      {further ? "This is the end of the list." : children}
    </NothingFits>
  );
}
