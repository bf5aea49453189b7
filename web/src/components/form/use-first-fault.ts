import { type RefObject, useRef } from "react";

interface FirstFault {
  /** The element around the fields. */
  form: RefObject<HTMLDivElement | null>;
  goToFirst: () => void;
}

/** The way to the first of the `faults`; `fieldOf` finds what to focus at one that is no input itself. */
export function useFirstFault(
  faults: string,
  fieldOf: (fault: HTMLElement) => HTMLElement | null | undefined,
): FirstFault {
  const form = useRef<HTMLDivElement>(null);
  function goToFirst() {
    // After the paint in which the faults appear.
    requestAnimationFrame(() => {
      const fault = form.current?.querySelector<HTMLElement>(faults);
      if (!fault) return;
      fault.scrollIntoView({ block: "center" });
      const field = fault.matches("input, textarea") ? fault : fieldOf(fault);
      field?.focus({ preventScroll: true });
    });
  }
  return { form, goToFirst };
}
