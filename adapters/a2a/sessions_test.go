package a2a

import (
	"strings"
	"testing"

	"github.com/sabir-proxy/sabir/adapters/hub"
	"github.com/sabir-proxy/sabir/adapters/wire"
)

// TestTaskThatGoesOn: servers begin the stream of a task that goes on with all that is in it. What was said before the answer is not said again;
// of another task, and of one that has ended meanwhile, it is new.
func TestTaskThatGoesOn(t *testing.T) {
	task := func(id, state string) string {
		return `{"task":{"id":"` + id + `","status":{"state":"` + state + `"},"artifacts":[{"artifactId":"a","parts":[{"text":"Let me see. "}]}]}}`
	}
	const more = `{"artifactUpdate":{"taskId":"t1","artifact":{"artifactId":"a","parts":[{"text":"Done."}]},"append":true}}`
	f := func(asked *hub.Request, first, want string) {
		t.Helper()
		d := Dialect.NewDecoder(Dialect.Defaults())
		hub.ContinuerOf(d).Continue(asked)
		text := ""
		for _, result := range []string{first, more} {
			evs, err := d.Decode(nil, wire.Record{Data: []byte(result)})
			if err != nil {
				t.Fatal(err)
			}
			for _, ev := range evs {
				text += string(ev.Text)
			}
		}
		if text != want {
			t.Errorf("%s: %s, want %s", first, text, want)
		}
	}
	const working = "TASK_STATE_WORKING"
	answers := &hub.Request{Answers: []hub.Decision{{Ask: b("t1#m1"), Decided: true, Approved: true}}}
	f(answers, task("t1", working), "Done.")
	f(answers, task("t2", working), "Let me see. Done.")
	f(answers, task("t1", "TASK_STATE_COMPLETED"), "Let me see. Done.")
	f(&hub.Request{}, task("t1", working), "Let me see. Done.")
}

// TestTasksAreCancelled in the version and the binding that they were asked for; a name of a task leads nowhere else.
func TestTasksAreCancelled(t *testing.T) {
	f := func(version, binding string, whole bool, want string) {
		t.Helper()
		call := sessions.CancelNamed(&hub.Request{Upstream: upstream(t, version, binding), AskWhole: whole})(b(`t\"1`))
		if got := call.Method + " " + call.Beside + " " + strings.Join(call.Path, "|") + " " + string(call.Body); got != want {
			t.Errorf("%s %s: %s, want %s", version, binding, got, want)
		}
	}
	f("auto", "auto", false, `POST   {"jsonrpc":"2.0","id":1,"method":"CancelTask","params":{"id":"t\"1"}}`)
	f("0.3", "jsonrpc", false, `POST   {"jsonrpc":"2.0","id":1,"method":"tasks/cancel","params":{"id":"t\"1"}}`)
	f("1.0", "rest", false, `POST /message:stream tasks|t"1:cancel {}`)
	f("0.3", "rest", true, `POST /message:send tasks|t"1:cancel {}`)
}
