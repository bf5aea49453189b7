import { Button, Menu } from "@mantine/core";
import { IconDownload } from "@tabler/icons-react";
import { exportPath, type FileFormat, type ScenarioFilters } from "~/api/scenarios";

const FORMATS: [FileFormat, string][] = [
  ["yaml", "YAML"],
  ["json", "JSON"],
];

interface ExportMenuProps {
  filters: ScenarioFilters;
  selected: string[];
}

/** As a file that lives well in git: imported again, it changes nothing. */
export function ExportMenu({ filters, selected }: ExportMenuProps) {
  const filtered = Object.keys(filters).length > 0;
  const scopes: [string, Parameters<typeof exportPath>[1]][] = [
    ...(selected.length > 0 ? [[`${selected.length} selected`, { ids: selected }] as [string, object]] : []),
    ...(filtered ? [["All that fit the filters", filters] as [string, object]] : []),
    ["All scenarios", {}],
  ];
  return (
    <Menu position="bottom-end">
      <Menu.Target>
        <Button variant="default" leftSection={<IconDownload size={15} />}>
          {selected.length > 0 ? `Export ${selected.length}` : "Export"}
        </Button>
      </Menu.Target>
      <Menu.Dropdown>
        {scopes.map(([label, wanted], index) => (
          <div key={label}>
            {index > 0 && <Menu.Divider />}
            <Menu.Label>{label}</Menu.Label>
            {FORMATS.map(([format, name]) => (
              <Menu.Item key={format} component="a" href={exportPath(format, wanted)} download>
                {name}
              </Menu.Item>
            ))}
          </div>
        ))}
      </Menu.Dropdown>
    </Menu>
  );
}
