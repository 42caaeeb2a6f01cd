/** A whole program that receives and verifies webhooks, with nothing but the standard library of its language. */
interface ReceiverProgram {
  readonly language: string;
  readonly file: string;
  /** How it is started. */
  readonly command: string;
  readonly code: string;
}

const PYTHON = `import hashlib, hmac, json, os, time
from http.server import BaseHTTPRequestHandler, HTTPServer

SECRET = os.environ["WEBHOOK_SECRET"].encode()
TOLERANCE_SECONDS = 300


def is_genuine(headers, body):
    timestamp = headers.get("X-Service-Timestamp", "")
    if not timestamp.isdigit() or abs(time.time() - int(timestamp)) > TOLERANCE_SECONDS:
        return False
    expected = "sha256=" + hmac.new(SECRET, timestamp.encode() + b"." + body, hashlib.sha256).hexdigest()
    # While the secret is being replaced, the second header has signatures with the previous one.
    sent = [headers.get("X-Service-Signature", "")] + headers.get("X-Service-Signature-Previous", "").split(",")
    return any(hmac.compare_digest(one.strip().encode(), expected.encode()) for one in sent)


class Receiver(BaseHTTPRequestHandler):
    def do_POST(self):
        # The raw bytes: a body that was parsed and written again has another signature.
        body = self.rfile.read(int(self.headers.get("Content-Length", 0)))
        if not is_genuine(self.headers, body):
            self.send_response(400)
        else:
            event = json.loads(body)
            print(event["type"], event["data"], flush=True)
            self.send_response(204)
        self.end_headers()


HTTPServer(("", int(os.environ.get("PORT", "3000"))), Receiver).serve_forever()
`;

const GO = `package main

import (
	"crypto/hmac"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"io"
	"log"
	"net/http"
	"os"
	"strconv"
	"strings"
	"time"
)

const tolerance = 300 * time.Second

func isGenuine(header http.Header, body []byte) bool {
	timestamp := header.Get("X-Service-Timestamp")
	seconds, err := strconv.ParseInt(timestamp, 10, 64)
	if err != nil || time.Since(time.Unix(seconds, 0)).Abs() > tolerance {
		return false
	}
	mac := hmac.New(sha256.New, []byte(os.Getenv("WEBHOOK_SECRET")))
	mac.Write([]byte(timestamp + "."))
	mac.Write(body)
	expected := "sha256=" + hex.EncodeToString(mac.Sum(nil))
	// While the secret is being replaced, the second header has signatures with the previous one.
	sent := header.Get("X-Service-Signature") + "," + header.Get("X-Service-Signature-Previous")
	for _, one := range strings.Split(sent, ",") {
		if hmac.Equal([]byte(strings.TrimSpace(one)), []byte(expected)) {
			return true
		}
	}
	return false
}

func main() {
	if os.Getenv("WEBHOOK_SECRET") == "" {
		log.Fatal("WEBHOOK_SECRET is not set")
	}
	port := os.Getenv("PORT")
	if port == "" {
		port = "3000"
	}
	http.HandleFunc("POST /hook", func(response http.ResponseWriter, request *http.Request) {
		// The raw bytes: a body that was parsed and written again has another signature.
		body, err := io.ReadAll(request.Body)
		if err != nil || !isGenuine(request.Header, body) {
			response.WriteHeader(http.StatusBadRequest)
			return
		}
		var event struct {
			Type string
			Data map[string]any
		}
		if err := json.Unmarshal(body, &event); err != nil {
			response.WriteHeader(http.StatusBadRequest)
			return
		}
		log.Println(event.Type, event.Data)
		response.WriteHeader(http.StatusNoContent)
	})
	log.Fatal(http.ListenAndServe(":"+port, nil))
}
`;

const JAVA = `import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpServer;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;
import java.security.GeneralSecurityException;
import java.security.MessageDigest;
import java.time.Instant;
import java.util.HexFormat;
import java.util.Objects;
import javax.crypto.Mac;
import javax.crypto.spec.SecretKeySpec;

public class Receiver {
  static final byte[] SECRET =
      Objects.requireNonNull(System.getenv("WEBHOOK_SECRET"), "WEBHOOK_SECRET is not set").getBytes(StandardCharsets.UTF_8);
  static final long TOLERANCE_SECONDS = 300;

  static boolean isGenuine(HttpExchange exchange, byte[] body) throws GeneralSecurityException {
    String timestamp = header(exchange, "X-Service-Timestamp");
    if (!timestamp.matches("\\\\d{1,12}")
        || Math.abs(Instant.now().getEpochSecond() - Long.parseLong(timestamp)) > TOLERANCE_SECONDS) return false;
    Mac mac = Mac.getInstance("HmacSHA256");
    mac.init(new SecretKeySpec(SECRET, "HmacSHA256"));
    mac.update((timestamp + ".").getBytes(StandardCharsets.UTF_8));
    byte[] expected = ("sha256=" + HexFormat.of().formatHex(mac.doFinal(body))).getBytes(StandardCharsets.UTF_8);
    // While the secret is being replaced, the second header has signatures with the previous one.
    String sent = header(exchange, "X-Service-Signature") + "," + header(exchange, "X-Service-Signature-Previous");
    for (String one : sent.split(",")) {
      if (MessageDigest.isEqual(one.strip().getBytes(StandardCharsets.UTF_8), expected)) return true;
    }
    return false;
  }

  static String header(HttpExchange exchange, String name) {
    return Objects.requireNonNullElse(exchange.getRequestHeaders().getFirst(name), "");
  }

  public static void main(String[] args) throws IOException {
    int port = Integer.parseInt(Objects.requireNonNullElse(System.getenv("PORT"), "3000"));
    HttpServer server = HttpServer.create(new InetSocketAddress(port), 0);
    server.createContext("/hook", exchange -> {
      // The raw bytes: a body that was parsed and written again has another signature.
      byte[] body = exchange.getRequestBody().readAllBytes();
      try {
        boolean isGenuine = isGenuine(exchange, body);
        if (isGenuine) System.out.println(header(exchange, "X-Service-Event") + " " + new String(body, StandardCharsets.UTF_8));
        exchange.sendResponseHeaders(isGenuine ? 204 : 400, -1);
      } catch (GeneralSecurityException error) {
        throw new IllegalStateException(error);
      } finally {
        exchange.close();
      }
    });
    server.start();
  }
}
`;

const PHP = `<?php
const TOLERANCE_SECONDS = 300;

function is_genuine(string $body): bool {
    $secret = getenv("WEBHOOK_SECRET");
    if ($secret === false || $secret === "") {
        throw new RuntimeException("WEBHOOK_SECRET is not set");
    }
    $timestamp = $_SERVER["HTTP_X_SERVICE_TIMESTAMP"] ?? "";
    if (!ctype_digit($timestamp) || abs(time() - (int) $timestamp) > TOLERANCE_SECONDS) {
        return false;
    }
    $expected = "sha256=" . hash_hmac("sha256", $timestamp . "." . $body, $secret);
    // While the secret is being replaced, the second header has signatures with the previous one.
    $sent = ($_SERVER["HTTP_X_SERVICE_SIGNATURE"] ?? "") . "," . ($_SERVER["HTTP_X_SERVICE_SIGNATURE_PREVIOUS"] ?? "");
    foreach (explode(",", $sent) as $one) {
        if (hash_equals($expected, trim($one))) {
            return true;
        }
    }
    return false;
}

// The raw bytes: a body that was parsed and written again has another signature.
$body = file_get_contents("php://input");
if (!is_genuine($body)) {
    http_response_code(400);
    exit;
}
$event = json_decode($body, true, 512, JSON_THROW_ON_ERROR);
error_log($event["type"] . " " . json_encode($event["data"]));
http_response_code(204);
`;

const JAVASCRIPT = `import { verifyWebhook, WebhookVerificationError } from "@swarmbase/sdk";
import { createServer } from "node:http";

createServer(async (request, response) => {
  // The raw bytes: a body that was parsed and written again has another signature.
  const chunks = [];
  for await (const chunk of request) chunks.push(chunk);
  try {
    const event = await verifyWebhook(Buffer.concat(chunks), request.headers, process.env.WEBHOOK_SECRET ?? "");
    console.log(event.type, event.data);
    response.writeHead(204).end();
  } catch (error) {
    if (!(error instanceof WebhookVerificationError)) throw error;
    response.writeHead(400).end(error.reason);
  }
}).listen(process.env.PORT ?? 3000);
`;

export const RECEIVER_PROGRAMS: readonly ReceiverProgram[] = [
  { language: "JavaScript", file: "receiver.mjs", command: "node receiver.mjs", code: JAVASCRIPT },
  { language: "Python", file: "receiver.py", command: "python3 receiver.py", code: PYTHON },
  { language: "Go", file: "receiver.go", command: "go run receiver.go", code: GO },
  { language: "Java", file: "Receiver.java", command: "java Receiver.java", code: JAVA },
  { language: "PHP", file: "hook.php", command: "php -S localhost:3000 hook.php", code: PHP },
];
