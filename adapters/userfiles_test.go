package adapters_test

import (
	"slices"
	"testing"

	"github.com/sabir-proxy/sabir/adapters"
	"github.com/sabir-proxy/sabir/adapters/adaptertest"
	"github.com/sabir-proxy/sabir/adapters/hub"
)

// TestFilesOfTheUsers: a file that an agent repeats from what the user has said is not read back as one of the agent's.
func TestFilesOfTheUsers(t *testing.T) {
	for _, media := range []string{"image/png", "application/pdf"} {
		loose, err := adaptertest.Events([]byte(`{"kind":"run.start","id":"r"}
{"kind":"file","flags":["user"],"id":"u1","file":{"media":"` + media + `","name":"a","base64":"QUJD"}}
{"kind":"file","flags":["user"],"id":"u2","file":{"media":"` + media + `","name":"b","url":"https://x.test/b"}}
{"kind":"text.delta","id":"t","text":"It is 3."}
{"kind":"run.end","status":"done"}`))
		if err != nil {
			t.Fatal(err)
		}
		for _, target := range adapters.All() {
			if target.NewEncoder == nil || target.NewDecoder == nil {
				continue
			}
			x := (&adaptertest.Stream{Name: "user files", Loose: loose}).Translate(target, target.Defaults())
			agents := func(ev hub.Event) bool { return ev.Kind == hub.File && !ev.Flags.Has(hub.User) }
			if slices.ContainsFunc(x.Strict, agents) {
				t.Errorf("%s: %s\n%s", target.Name, media, adaptertest.Lines(x.Strict))
			}
		}
	}
}
