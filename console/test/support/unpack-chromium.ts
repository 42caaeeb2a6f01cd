import chromium from "@sparticuz/chromium";

// A program of its own, since the package unpacks into the folder for temporary files of the whole process.
await chromium.executablePath();
