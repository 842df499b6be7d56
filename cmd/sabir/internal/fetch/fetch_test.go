package fetch

import (
	"errors"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
)

// TestWords: what a server says of its refusal is shown on one line, without what could change a terminal, and without what it repeats of the
// secrets that it was asked with.
func TestWords(t *testing.T) {
	said := ""
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		w.WriteHeader(http.StatusUnprocessableEntity)
		_, _ = w.Write([]byte(said))
	}))
	defer s.Close()
	f := func(body, want string) {
		t.Helper()
		said = body
		r := Request{Body: "{}", Header: []string{"Authorization: Bearer tok-1", "X-Key: k e y"}}
		_, _, err := r.Open(t.Context(), strings.Replace(s.URL, "http://", "http://me:pass-1@", 1)+"?key=query-1&empty=")
		var refused *StatusError
		if !errors.As(err, &refused) || refused.Words() != want {
			t.Errorf("%q is shown as %q, want %q (%v)", body, refused.Words(), want, err)
		}
	}
	f("", "")
	f("{\n\t\"detail\": \"prompt: Field\u2028required\"\r\n}", `{ "detail": "prompt: Field required" }`)
	f("a\x1b[31mred\x00\u202eb", "a[31mredb")
	f("Bearer tok-1, tok-1; key=query-1&empty=, query-1; pass-1, k e y", "…, …; …, …; …, …")
	f("\xff\xfe binary", "")
	f(strings.Repeat("ä", mostWords+1), strings.Repeat("ä", mostWords)+"…")
	f(strings.Repeat("ä ", maxSaid), strings.Repeat("ä ", mostWords/2)+"…")
}
