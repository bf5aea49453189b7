import { Tabs } from "@mantine/core";
import type { ReactNode } from "react";

interface PageTabsProps<Tab extends string> {
  tabs: [value: Tab, label: string, content: ReactNode][];
  value: Tab;
  onChange: (value: Tab) => void;
  /** What is in the other tabs stays as it is meanwhile. */
  keepMounted?: boolean;
}

/** The parts of a page, one of which is shown. */
export function PageTabs<Tab extends string>(props: PageTabsProps<Tab>) {
  const { tabs, value, onChange, keepMounted = false } = props;
  return (
    <Tabs value={value} onChange={(next) => onChange(next as Tab)} keepMounted={keepMounted}>
      <Tabs.List mb="md">
        {tabs.map(([tab, label]) => (
          <Tabs.Tab key={tab} value={tab}>
            {label}
          </Tabs.Tab>
        ))}
      </Tabs.List>
      {tabs.map(([tab, , content]) => (
        <Tabs.Panel key={tab} value={tab}>
          {content}
        </Tabs.Panel>
      ))}
    </Tabs>
  );
}
