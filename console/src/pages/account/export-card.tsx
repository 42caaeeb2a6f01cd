import { Download } from "lucide-react";
import { useAccountExport } from "../../data/account-export.ts";
import { Banner } from "../../components/banner.tsx";
import { Button } from "../../components/button.tsx";
import { CardSection } from "../../components/card.tsx";
import { saveFile } from "../../components/save-file.ts";
import { useToast } from "../../components/toast.tsx";

export function ExportCard() {
  const download = useAccountExport();
  const toast = useToast();
  const run = async () => {
    const file = await download.run();
    if (file === null) return;
    saveFile(`account-export-${new Date().toISOString().slice(0, 10)}.json`, file);
    toast({ text: "Your data is in your downloads." });
  };
  return (
    <CardSection
      title="Your data"
      description="One JSON file with your agents, tools, swarms, messages, runs, webhooks, usage and settings. It contains no secrets."
    >
      <div className="grid justify-items-start gap-4">
        {download.failure !== null && <Banner tone="bad">{download.failure.message}</Banner>}
        <Button icon={<Download />} isBusy={download.isBusy} onClick={() => void run()}>
          Download your data
        </Button>
      </div>
    </CardSection>
  );
}
