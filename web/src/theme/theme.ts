import { createTheme, type MantineColorsTuple } from "@mantine/core";

const teal: MantineColorsTuple = [
  "#e3f6fa",
  "#d0e9ef",
  "#a5d2dd",
  "#77bacb",
  "#52a7bc",
  "#3a9bb3",
  "#2a8ca3",
  "#0b7285",
  "#075f70",
  "#044c5a",
];

/** Mantine's greys for dark surfaces, in the hue of our tokens: text, dimmed, borders, fields, surfaces. */
const dark: MantineColorsTuple = [
  "#e3eaee",
  "#c3ced5",
  "#9fb0ba",
  "#7f919c",
  "#2a373f",
  "#232f36",
  "#1b252b",
  "#131a1f",
  "#0d1317",
  "#080c0f",
];

export const theme = createTheme({
  colors: { teal, dark },
  primaryColor: "teal",
  primaryShade: 7,
  autoContrast: true,
  respectReducedMotion: true,
  fontFamily: '"Inter Variable", system-ui, -apple-system, "Segoe UI", sans-serif',
  fontFamilyMonospace: '"JetBrains Mono Variable", ui-monospace, "SF Mono", Menlo, Consolas, monospace',
  headings: { fontFamily: '"Inter Variable", system-ui, sans-serif', fontWeight: "650" },
  fontSizes: { xs: "0.75rem", sm: "0.8125rem", md: "0.875rem", lg: "1rem", xl: "1.25rem" },
  spacing: { xs: "0.375rem", sm: "0.625rem", md: "1rem", lg: "1.375rem", xl: "2rem" },
  defaultRadius: "sm",
  components: {
    Button: { defaultProps: { size: "xs" } },
    TextInput: { defaultProps: { size: "sm" } },
    Modal: { defaultProps: { closeButtonProps: { "aria-label": "Close" } } },
    Notification: { defaultProps: { closeButtonProps: { "aria-label": "Close" } } },
    Tooltip: { defaultProps: { openDelay: 250, withArrow: true } },
  },
});
