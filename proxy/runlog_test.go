package proxy

import (
	"testing"

	"github.com/sabir-proxy/sabir/adapters/a2a"
	"github.com/sabir-proxy/sabir/adapters/hub"
	"github.com/sabir-proxy/sabir/config"
	"github.com/sabir-proxy/sabir/proxy/internal/runlog"
	"github.com/sabir-proxy/sabir/proxy/internal/sessions"
	"github.com/sabir-proxy/sabir/proxy/internal/upstream"
)

// faultyRuns is a store of runs that is away.
type faultyRuns struct{ runlog.Store }

func (faultyRuns) Find(runlog.Key) (runlog.Run, error) {
	return runlog.Run{}, hub.Fail(hub.CodeStore, nil)
}

// TestRunsThatCannotBeFound: a request that goes on with a run is refused while the store of runs is away. One that is not known
// is the agent's affair where the agent keeps the conversation.
func TestRunsThatCannotBeFound(t *testing.T) {
	t.Parallel()
	asks := func(store runlog.Store) *hub.Failure {
		r := &route{cfg: &config.Route{}, runs: store, up: &upstream.Upstream{Agents: new(sessions.Pool)}} // the agent keeps what was said
		c := &call{route: r, target: &target{dialect: &a2a.Dialect}}
		return c.resume(&hub.Request{Resumes: true, Run: []byte("r1"), Thread: []byte("t1")})
	}
	if f := asks(faultyRuns{}); f == nil || f.Code != hub.CodeStore {
		t.Errorf("the store is away: %v", f)
	}
	if f := asks(unknownRuns{}); f != nil {
		t.Errorf("the agent may know it: %v", f)
	}
}

// unknownRuns is a store that knows no run.
type unknownRuns struct{ runlog.Store }

func (unknownRuns) Find(runlog.Key) (runlog.Run, error) {
	return runlog.Run{}, runlog.ErrUnknown
}

// TestPlainText: names come as bodies of JSON strings, and are compared as they read.
func TestPlainText(t *testing.T) {
	t.Parallel()
	for body, want := range map[string]string{`plain`: "plain", `a \"b\" \u00e9`: `a "b" é`, `a\\b`: `a\b`, ``: ""} {
		if got := plainText([]byte(body)); got != want {
			t.Errorf("%s is %q, want %q", body, got, want)
		}
	}
}

// TestWithoutLast: an answer of no lines has no last one.
func TestWithoutLast(t *testing.T) {
	t.Parallel()
	for lines, want := range map[string]string{"": "", "a\n": "", "a\nb\n": "a\n"} {
		if got := withoutLast([]byte(lines)); string(got) != want {
			t.Errorf("%q without its last line is %q", lines, got)
		}
	}
}

// TestAnswerInWords: what the user says answers the only question of the run, if that wants words and nothing else is said.
func TestAnswerInWords(t *testing.T) {
	t.Parallel()
	text, file := hub.Part{Kind: hub.PartText, Text: []byte("in Oslo")}, hub.Part{Kind: hub.PartFile}
	says := func(parts ...hub.Part) []hub.Message { return []hub.Message{{Role: hub.RoleUser, Parts: parts}} }
	where := hub.Event{Kind: hub.Ask, ID: []byte("q1"), AskKind: hub.AskInput}
	f := func(name string, answers bool, asked hub.Request, open ...hub.Event) {
		t.Helper()
		said, before := len(asked.Messages), len(asked.Answers)
		answerInWords(&asked, open)
		if !answers {
			if len(asked.Answers) != before || len(asked.Messages) != said {
				t.Errorf("%s: answers %v", name, asked.Answers)
			}
			return
		}
		if len(asked.Answers) != 1 || string(asked.Answers[0].Ask) != "q1" || string(asked.Answers[0].Payload) != `"in Oslo"` || asked.Messages != nil {
			t.Errorf("%s: answers %+v, messages %v", name, asked.Answers, asked.Messages)
		}
	}
	f("words", true, hub.Request{Messages: says(text)}, where)
	f("a question", true, hub.Request{Messages: says(text)}, hub.Event{ID: []byte("q1"), AskKind: hub.AskQuestion})
	f("an approval", false, hub.Request{Messages: says(text)}, hub.Event{ID: []byte("q1"), AskKind: hub.AskPermission})
	f("two questions", false, hub.Request{Messages: says(text)}, where, where)
	f("no question", false, hub.Request{Messages: says(text)})
	f("answered already", false, hub.Request{Messages: says(text), Answers: []hub.Decision{{Ask: []byte("q1")}}}, where)
	f("two messages", false, hub.Request{Messages: append(says(text), says(text)...)}, where)
	f("nothing said", false, hub.Request{}, where)
	f("two parts", false, hub.Request{Messages: says(text, text)}, where)
	f("a file", false, hub.Request{Messages: says(file)}, where)
}
