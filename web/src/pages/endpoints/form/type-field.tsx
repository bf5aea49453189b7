import { Input, Radio } from "@mantine/core";
import type { EndpointType } from "~/api/endpoints";
import { TYPES } from "~/components/endpoint-type";
import classes from "~/pages/endpoints/endpoints.module.css";

interface TypeFieldProps {
  value: EndpointType;
  /** Undefined where it cannot be changed any more. */
  onChange: ((type: EndpointType) => void) | undefined;
  error: string | null;
}

/** Which type to pick for which tool body. */
export function TypeField({ value, onChange, error }: TypeFieldProps) {
  return (
    <Input.Wrapper
      label="Type"
      labelElement="div"
      description={onChange === undefined ? "It stays what it was registered as." : undefined}
      error={error}
    >
      <div className={classes.types} role="radiogroup" aria-label="Type">
        {Object.entries(TYPES).map(([type, { name, pick, about }]) => (
          <Radio
            key={type}
            name="type"
            size="xs"
            label={name}
            description={`${pick} ${about}`}
            checked={type === value}
            disabled={type === "code" || (onChange === undefined && type !== value)}
            onChange={() => onChange?.(type as EndpointType)}
          />
        ))}
      </div>
    </Input.Wrapper>
  );
}
