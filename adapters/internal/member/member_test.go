package member_test

import (
	"testing"

	"github.com/sabir-proxy/sabir/adapters/internal/member"
	"github.com/sabir-proxy/sabir/adapters/wire"
)

// TestText: the error says whether a member is missing or of another type, and where.
func TestText(t *testing.T) {
	f := func(v, want, fault string) {
		t.Helper()
		got, err := member.Text([]byte(v), "a.b")
		if err == nil && fault == "" && string(got) == want {
			return
		}
		if err == nil || err.Error() != fault || got != nil {
			t.Errorf("%s: got %q, %v, want %q, %s", v, got, err, want, fault)
		}
	}
	f(`"a\"b"`, `a\"b`, "")
	f(`""`, "", "")
	f(``, "", "a.b: missing: want a string")
	f(`null`, "", "a.b: missing: want a string")
	f(`1`, "", "a.b: type: want a string")
}

// TestWrite: empty members are left out, and bodies are spliced as they are.
func TestWrite(t *testing.T) {
	out := wire.NewOut(wire.NDJSON)
	b := member.Open(out, `{"type":"`, []byte(`a\"b`))
	b = member.AppendText(b, `,"none":"`, nil)
	member.Close(out, member.AppendText(b, `,"some":"`, []byte("c")))
	if got := string(out.Buf); got != `{"type":"a\"b","some":"c"}`+"\n" || out.Records != 1 {
		t.Errorf("got %s in %d records", got, out.Records)
	}
}
