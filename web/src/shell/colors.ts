import { useComputedColorScheme, useMantineColorScheme } from "@mantine/core";

/** Whether dark colours are shown, and the switch; until it is used the system decides. */
export function useDarkColors(): [boolean, (dark: boolean) => void] {
  const { setColorScheme } = useMantineColorScheme();
  const dark = useComputedColorScheme("light", { getInitialValueInEffect: false }) === "dark";
  return [dark, (wanted) => setColorScheme(wanted ? "dark" : "light")];
}
