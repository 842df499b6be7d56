package codexappserver_test

import (
	"bytes"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/santhosh-tekuri/jsonschema/v6"

	"github.com/sabir-proxy/sabir/adapters"
	"github.com/sabir-proxy/sabir/adapters/adaptertest"
	"github.com/sabir-proxy/sabir/adapters/codexappserver"
	"github.com/sabir-proxy/sabir/adapters/hub"
	"github.com/sabir-proxy/sabir/adapters/wire"
)

// validator returns a check of one message against what the server itself prints as its schema.
func validator(t *testing.T) func(message []byte) error {
	t.Helper()
	text, err := os.ReadFile("testdata/schema.json")
	if err != nil {
		t.Fatal(err)
	}
	parsed, err := jsonschema.UnmarshalJSON(bytes.NewReader(text))
	if err != nil {
		t.Fatal(err)
	}
	compiler := jsonschema.NewCompiler()
	if err := compiler.AddResource("messages.json", parsed); err != nil {
		t.Fatal(err)
	}
	schema := compiler.MustCompile("messages.json")
	return func(message []byte) error {
		plain, err := jsonschema.UnmarshalJSON(bytes.NewReader(message))
		if err != nil {
			return err
		}
		return schema.Validate(plain)
	}
}

// TestSchema: whatever dialect a stream comes from, each message that is written is one that the schema knows.
func TestSchema(t *testing.T) {
	validate := validator(t)
	written := map[string]bool{}
	for _, d := range adapters.All() {
		if d.NewDecoder == nil {
			continue
		}
		for _, s := range adaptertest.Streams(t, d, filepath.Join("..", strings.ReplaceAll(d.Name, "-", ""), "testdata")) {
			for _, rec := range s.Translate(&codexappserver.Dialect, codexappserver.Dialect.Defaults()).Records {
				_, method, _ := bytes.Cut(rec.Data, []byte(`"method":"`))
				method, _, _ = bytes.Cut(method, []byte(`"`))
				written[string(method)] = true
				if err := validate(rec.Data); err != nil {
					t.Errorf("from %s: %v\n%s", s.Name, err, rec.Data)
				}
			}
		}
	}
	if len(written) < 20 {
		t.Errorf("only these messages were written: %v", written)
	}
}

// TestSchemaRefuses: the schema is one that refuses.
func TestSchemaRefuses(t *testing.T) {
	validate := validator(t)
	for _, message := range []string{
		`{"method":"item/agentMessage/delta","params":{"threadId":"t","turnId":"u","itemId":"m"}}`,
		`{"method":"item/agentMessage/deltas","params":{"threadId":"t","turnId":"u","itemId":"m","delta":"x"}}`,
		`{"method":"turn/completed","params":{"threadId":"t","turn":{"id":"u","items":[],"status":"done"}}}`,
		`{"method":"item/tool/call","params":{"threadId":"t","turnId":"u","callId":"c","tool":"x","arguments":{}}}`,
		`{"id":2,"result":{}}`,
	} {
		if validate([]byte(message)) == nil {
			t.Errorf("accepted: %s", message)
		}
	}
}

// TestAnswers: the client's turn/start is answered with its id, in the thread that the client has named; a turn that never
// begins is refused.
func TestAnswers(t *testing.T) {
	validate := validator(t)
	f := func(req *hub.Request, want string, events ...string) {
		t.Helper()
		enc := codexappserver.Dialect.NewEncoder(codexappserver.Dialect.Defaults())
		enc.(hub.Answerer).Answer(req)
		lines := adaptertest.Records(t, enc, events...)
		for _, line := range lines {
			if err := validate([]byte(line)); err != nil {
				t.Errorf("%v\n%s", err, line)
			}
		}
		if got := strings.Join(lines[:min(2, len(lines))], "\n"); got != want {
			t.Errorf("got\n%s\nwant\n%s", got, want)
		}
	}
	f(&hub.Request{Call: []byte("2"), Thread: []byte("mine")}, `{"id":2,"result":{"turn":{"id":"r","items":[],"itemsView":"notLoaded","status":"inProgress"}}}`+"\n"+
		`{"method":"turn/started","params":{"threadId":"mine","turn":{"id":"r","items":[],"itemsView":"notLoaded","status":"inProgress"}}}`,
		`{"kind":"run.start","id":"r","ref":"theirs"}`, `{"kind":"run.end","status":"done"}`)
	f(&hub.Request{}, `{"method":"turn/started","params":{"threadId":"theirs","turn":{"id":"r","items":[],"itemsView":"notLoaded","status":"inProgress"}}}`+"\n"+
		`{"method":"turn/completed","params":{"threadId":"theirs","turn":{"id":"r","items":[],"itemsView":"notLoaded","status":"completed"}}}`,
		`{"kind":"run.start","id":"r","ref":"theirs"}`, `{"kind":"run.end","status":"done"}`)

	enc, out := codexappserver.Dialect.NewEncoder(codexappserver.Dialect.Defaults()), wire.NewOut(wire.NDJSON)
	enc.(hub.Answerer).Answer(&hub.Request{Call: []byte(`"a"`)})
	enc.Encode(out, &hub.Event{Kind: hub.RunEnd, Status: hub.StatusFailed, More: &hub.More{Err: []byte(`no \"agent\"`)}})
	line := bytes.TrimSpace(out.Buf)
	if want := `{"id":"a","error":{"code":-32603,"message":"no \"agent\""}}`; string(line) != want {
		t.Errorf("got %s, want %s", line, want)
	}
	if err := validate(line); err != nil {
		t.Error(err)
	}
}
