package proxy

import (
	"bytes"
	"encoding/binary"
	"strings"
	"testing"

	"go.uber.org/zap/zapcore"
)

// A run of AG-UI in which a text is ended that never began, a member is missing, and the run ends with a part open.
var faulty = "data: {\"type\":\"RUN_STARTED\",\"threadId\":\"t\",\"runId\":\"r\"}\n\n" +
	"data: {\"type\":\"TEXT_MESSAGE_START\",\"messageId\":\"m\",\"role\":\"assistant\"}\n\n" +
	"data: {\"type\":\"TEXT_MESSAGE_CONTENT\",\"messageId\":\"m\",\"delta\":\"before\"}\n\n" +
	"data: {\"type\":\"TEXT_MESSAGE_CONTENT\",\"messageId\":\"m\"}\n\n" +
	"data: {\"type\":\"TEXT_MESSAGE_CONTENT\",\"messageId\":\"other\",\"delta\":\"behind\"}\n\n" +
	"data: {\"type\":\"RUN_FINISHED\",\"threadId\":\"t\",\"runId\":\"r\"}\n\n"

// conformant is a configuration with an upstream of AG-UI.
func conformant(url, mode, client string) string {
	return strings.Replace(simple(url, "", "", "client: "+client+"\nconformance: "+mode+"\n"), "dialect: native", "dialect: agui", 1)
}

// violations is what was counted of a side.
func (r *rig) violations(side string) float64 {
	return r.metric("sabir_violations_total", "side="+side)
}

// TestObserve: what breaks rules is counted and explained in the log, and the client gets the run as ever; what is written for it
// breaks none. Where it is off, nothing of that happens.
func TestObserve(t *testing.T) {
	t.Parallel()
	for _, client := range []string{"aisdk", "agui", "openai-chat", "openai-responses"} {
		for mode, want := range map[string]float64{"off": 0, "observe": 3} {
			a := newAgent(t, streaming(faulty))
			r := start(t, conformant(a.url(), mode, client))
			_, body := r.post("/run", "{}")
			r.awaitEnds(1)
			if !strings.Contains(body, "before") || !strings.Contains(body, "behind") {
				t.Errorf("%s, %s: the client got %s", client, mode, body)
			}
			if got := r.violations("agent"); got != want {
				t.Errorf("%s, %s: %v violations of the agent, want %v", client, mode, got, want)
			}
			if got := r.violations("client"); got != 0 {
				t.Errorf("%s, %s: what was written breaks %v rules", client, mode, got)
			}
			if got := r.logs.FilterMessage("a stream breaks a rule of its dialect").Len(); got != int(want) {
				t.Errorf("%s, %s: %d lines of log", client, mode, got)
			}
		}
	}
}

// TestStrict: the first violation ends the stream with an error in the client's dialect. Its record does not reach the client.
func TestStrict(t *testing.T) {
	t.Parallel()
	for client, ending := range map[string]string{"aisdk": `"type":"error"`, "agui": `"type":"RUN_ERROR"`} {
		a := newAgent(t, streaming(faulty))
		r := start(t, conformant(a.url(), "strict", client))
		_, body := r.post("/run", "{}")
		end := r.awaitEnds(1)
		if !strings.Contains(body, "before") || strings.Contains(body, "behind") || !strings.Contains(body, ending) || strings.Contains(body, "RUN_FINISHED") {
			t.Errorf("%s: the client got %s", client, body)
		}
		if !strings.Contains(body, "broke a rule of the protocol") {
			t.Errorf("%s: the error does not say that a rule was broken: %s", client, body)
		}
		if end["ending"] != "upstream_violation" || r.violations("agent") != 1 {
			t.Errorf("%s: ended as %v, with %v violations", client, end["ending"], r.violations("agent"))
		}
	}
}

// TestViolationsLog: of one run at most three violations are explained, and of all no more than their limiter allows.
func TestViolationsLog(t *testing.T) {
	t.Parallel()
	bad := strings.Repeat("data: {\"type\":\"TEXT_MESSAGE_CONTENT\",\"messageId\":\"m\"}\n\n", 50)
	a := newAgent(t, streaming(faulty[:strings.Index(faulty, "\n\n")+2]+bad))
	r := start(t, conformant(a.url(), "observe", "aisdk"))
	for range 10 {
		r.post("/run", "{}")
	}
	r.awaitEnds(10)
	lines := r.logs.FilterMessage("a stream breaks a rule of its dialect").All()
	if len(lines) < 20 || len(lines) > 22 {
		t.Errorf("%d lines of log", len(lines))
	}
	if lines[0].Level != zapcore.WarnLevel || lines[0].ContextMap()["member"] != "delta" || lines[0].ContextMap()["record"] != int64(2) {
		t.Errorf("the first is %v", lines[0].ContextMap())
	}
	if got := r.violations("agent"); got != 10*51 {
		t.Errorf("%v violations", got)
	}
}

// TestMessages takes the frames of a WebSocket off, of each of the three lengths.
func TestMessages(t *testing.T) {
	t.Parallel()
	var p []byte
	sizes := []int{3, 300, 70_000, 0}
	p = append(append(p, 0x81, 3), make([]byte, 3)...)
	p = append(append(binary.BigEndian.AppendUint16(append(p, 0x81, 126), 300), make([]byte, 300)...), 0x81, 127)
	p = append(binary.BigEndian.AppendUint64(p, 70_000), bytes.Repeat([]byte("x"), 70_000)...)
	p = append(p, 0x81, 0)
	for message := range framesOf(p) {
		if len(sizes) == 0 || len(message) != sizes[0] {
			t.Fatalf("a message of %d bytes, want %v", len(message), sizes)
		}
		sizes = sizes[1:]
	}
	if len(sizes) > 0 {
		t.Errorf("no messages of %v", sizes)
	}
	for n := range 10 {
		for _, frame := range [][]byte{p[5:], p[5+4+300:]} {
			for range framesOf(frame[:n]) {
				t.Errorf("half a message in %d bytes", n)
			}
		}
	}
}
