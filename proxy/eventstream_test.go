package proxy

import (
	"encoding/binary"
	"hash/crc32"
	"strings"
	"testing"
)

// binaryFrame is a message of the event stream that AWS sends: lengths, a checksum, headers, the payload, a checksum.
func binaryFrame(headers map[string]string, payload string) string {
	var h []byte
	for name, value := range headers {
		h = append(append(append(h, byte(len(name))), name...), 7) // 7: a string
		h = append(binary.BigEndian.AppendUint16(h, uint16(len(value))), value...)
	}
	f := binary.BigEndian.AppendUint32(nil, uint32(12+len(h)+len(payload)+4))
	f = binary.BigEndian.AppendUint32(f, uint32(len(h)))
	f = binary.BigEndian.AppendUint32(f, crc32.ChecksumIEEE(f))
	f = append(append(f, h...), payload...)
	return string(binary.BigEndian.AppendUint32(f, crc32.ChecksumIEEE(f)))
}

// TestBinaryEventStreams: an upstream that sends the binary event stream of AWS is refused as malformed, and so is one
// whose stream is an exception in that form: neither is an empty success. Rows E8 and F16.
func TestBinaryEventStreams(t *testing.T) {
	t.Parallel()
	event := map[string]string{":event-type": "chunk", ":content-type": "application/json", ":message-type": "event"}
	exception := map[string]string{":exception-type": "throttlingException", ":content-type": "application/json", ":message-type": "exception"}
	bodies := map[string]string{
		"chunks":    binaryFrame(event, `{"bytes":"eyJ0eXBlIjoibWVzc2FnZV9zdGFydCJ9"}`) + binaryFrame(event, `{"bytes":"eyJ0eXBlIjoibWVzc2FnZV9zdG9wIn0="}`),
		"exception": binaryFrame(exception, `{"message":"Too many requests."}`),
	}
	for name, body := range bodies {
		for _, from := range []string{"anthropic", "openai-chat"} {
			t.Run(name+" "+from, func(t *testing.T) {
				t.Parallel()
				a := newAgent(t, func(p *peer) {
					for p.request() != nil {
						p.ok("Content-Type: application/vnd.amazon.eventstream")
						p.finish(body)
					}
				})
				r := start(t, between(a.url(), from, "native", "", "", ""))
				if got := r.demand("/run"); !strings.Contains(got.body, "upstream_malformed") || strings.Contains(got.body, `"status":"done"`) {
					t.Errorf("%d %q", got.status, got.body)
				}
				if end := r.awaitEnds(1); end["ending"] != "upstream_malformed" {
					t.Errorf("log %v", end)
				}
			})
		}
	}
}
