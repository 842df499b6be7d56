package aisdk

import (
	"bytes"
	"encoding/json"
	"os"
	"strings"
	"testing"

	"github.com/sabir-proxy/sabir/adapters/hub"
)

// recordedMessages is what WebSocketChatTransport of ai 7.0.173 sent: turns with metadata, a tool of the client's, an approval, a second answer,
// a stop, and the return to an answer.
const recordedMessages = "testdata/websocket/ai-7.0.173.ndjson"

// TestMultiplexRecorded: each message is read as the request that the transport by HTTP would make of it.
func TestMultiplexRecorded(t *testing.T) {
	sent, err := os.ReadFile(recordedMessages)
	if err != nil {
		t.Fatal(err)
	}
	var got []string
	for line := range bytes.Lines(sent) {
		m, err := multiplex.Read(line)
		if err != nil || len(m.Request) != 16 {
			t.Fatalf("%s: request %s, %v", line, m.Request, err)
		}
		if named := multiplex.Named(line[:min(len(line), 60)]); string(named) != string(m.Request) {
			t.Errorf("the beginning of %s names %s", line, named)
		}
		req := hub.Request{}
		if m.Operation == hub.OpRun {
			sameMembers(t, m.Body, line)
			if err := Dialect.Requests.DecodeRequest(&req, m.Body); err != nil {
				t.Errorf("%s: %v", m.Body, err)
			}
		}
		last := ""
		if n := len(req.Messages); n > 0 {
			last = req.Messages[n-1].Role.String()
		}
		got = append(got, strings.Join([]string{m.Operation.String(), string(m.Thread), last, req.Trigger.String()}, " "))
	}
	want := []string{
		"run chat-1 user ", "run chat-1 user ", "run chat-1 agent ", "run chat-1 user ", "run chat-1 agent ", "run chat-1 user regenerate", "run chat-1 user ",
		"stop   ", "join chat-1  ",
	}
	for i := range want {
		if got[i] != want[i] {
			t.Errorf("message %d is %q, want %q", i, got[i], want[i])
		}
	}
}

// sameMembers checks that a body has what the message has, and nothing of how it was sent.
func sameMembers(t *testing.T, body, message []byte) {
	t.Helper()
	var sent, got map[string]json.RawMessage
	if json.Unmarshal(message, &sent) != nil || json.Unmarshal(body, &got) != nil {
		t.Fatalf("%s is made of %s", body, message)
	}
	var own map[string]json.RawMessage
	if err := json.Unmarshal(sent["body"], &own); err != nil || string(own["tenant"]) != `"acme"` {
		t.Errorf("the body of the application is %v", own)
	}
	for _, name := range []string{"id", "messages", "trigger", "messageId", "metadata"} {
		if value := sent[name]; value != nil {
			own[name] = value
		}
	}
	if len(got) != len(own) {
		t.Errorf("%s has other members than %v", body, own)
	}
	for name, value := range own {
		if string(got[name]) != string(value) {
			t.Errorf("%s is %s, want %s", name, got[name], value)
		}
	}
}

// TestMultiplexHeader: an application's header fields are read, escapes and all.
func TestMultiplexHeader(t *testing.T) {
	m, err := multiplex.Read([]byte(`{"type":"resume","requestId":"r\u0031","id":"c","lastSequence":6,"headers":{"X-\u0041":"\u00e9","b":""}}`))
	if err != nil || len(m.Header) != 2 || m.Header[0] != (hub.HeaderField{Name: "X-A", Value: "é"}) || m.Header[1].Name != "b" || m.After != 7 {
		t.Errorf("%+v, %v", m, err)
	}
}

// TestMultiplexAnswers: what a server says is what the transport reads.
func TestMultiplexAnswers(t *testing.T) {
	f := func(got []byte, want string) {
		t.Helper()
		if string(got) != want {
			t.Errorf("got  %s\nwant %s", got, want)
		}
	}
	id := []byte(`r\"1`)
	f(multiplex.AppendRecord(nil, id, 7, []byte(`{"type":"finish"}`)), `{"type":"chunk","requestId":"r\"1","sequence":7,"chunk":{"type":"finish"}}`)
	f(multiplex.AppendRecord(nil, id, 8, []byte("[DONE]")), "")
	f(multiplex.AppendSign(nil, id, hub.MultiplexJoined), `{"type":"start","requestId":"r\"1"}`)
	f(multiplex.AppendSign(nil, id, hub.MultiplexNone), `{"type":"no-active","requestId":"r\"1"}`)
	f(multiplex.AppendSign(nil, id, hub.MultiplexEnded), `{"type":"end","requestId":"r\"1"}`)
	f(multiplex.AppendFailure(nil, id, hub.Fail(hub.CodeUnreadable, nil)), `{"type":"error","requestId":"r\"1","errorText":"The request cannot be read."}`)
}

// FuzzMultiplex: whatever a client sends, what is made of it is a request of JSON, and answers to it are.
func FuzzMultiplex(f *testing.F) {
	sent, err := os.ReadFile(recordedMessages)
	if err != nil {
		f.Fatal(err)
	}
	for line := range bytes.Lines(sent) {
		f.Add(bytes.TrimSpace(line))
	}
	f.Add([]byte(`{"type":"send","requestId":"x","id":"c","body":{"id":1,"a\u0062":{},"":2},"headers":{"":""}}`))
	f.Fuzz(func(t *testing.T, message []byte) {
		m, err := multiplex.Read(message)
		if err == nil && m.Operation == hub.OpRun && !json.Valid(m.Body) {
			t.Errorf("%s is made of %s", m.Body, message)
		}
		for _, id := range [][]byte{m.Request, multiplex.Named(message)} {
			if len(id) > longestRequestID || len(id) > 0 && !json.Valid(multiplex.AppendRecord(nil, id, 0, []byte("{}"))) {
				t.Errorf("%s names the request %s", message, id)
			}
		}
	})
}
