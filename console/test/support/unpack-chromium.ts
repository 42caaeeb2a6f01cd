import chromium from "@sparticuz/chromium";

// A separate process, because the package unpacks into the temporary folder of the process.
await chromium.executablePath();
