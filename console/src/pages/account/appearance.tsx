import { CardSection } from "../../components/card.tsx";
import { SegmentedControl } from "../../components/segmented-control.tsx";
import { setTheme, type Theme, useTheme } from "../../components/theme.ts";

export function Appearance() {
  const theme = useTheme();
  return (
    <CardSection title="Appearance" description="For this browser.">
      <SegmentedControl<Theme>
        label="Theme"
        value={theme}
        onChange={setTheme}
        choices={[
          { value: "system", label: "System" },
          { value: "light", label: "Light" },
          { value: "dark", label: "Dark" },
        ]}
      />
    </CardSection>
  );
}
