// For the tests of packages, which import only the support files of this folder.
export { RECEIVER_CA, type Receiver, startReceiver } from "../webhooks/support/receiver.ts";
