package auth

import (
	"net"
	"net/http"
	"net/http/httptest"
	"net/url"
	"reflect"
	"testing"
	"time"

	"github.com/sabir-proxy/sabir/config"
)

// asked judges a request by a server that answers it in a way.
func asked(t *testing.T, headers []string, answer http.HandlerFunc) Answer {
	t.Helper()
	srv := httptest.NewServer(answer)
	defer srv.Close()
	where, err := url.Parse(srv.URL)
	if err != nil {
		t.Fatal(err)
	}
	f := NewForward(&config.Forward{URL: config.URL{URL: *where}, Timeout: 10 * time.Second, Headers: headers}, new(net.Dialer).DialContext)
	defer f.Close()
	return f.Check(&Request{Ask: func() http.Header { return http.Header{"X-Asked": {"yes"}} }})
}

// TestForwardFields: the first field names the client; the others go to the upstream if they are there and can be sent.
func TestForwardFields(t *testing.T) {
	t.Parallel()
	headers := []string{"X-User", "X-Team", "X-Plan"}
	for _, c := range []struct {
		name   string
		answer map[string]string
		who    string
		set    []Field
	}{
		{"all", map[string]string{"X-User": " ann ", "X-Team": "blue", "X-Plan": "pro"}, "ann", []Field{{"X-User", "ann"}, {"X-Team", "blue"}, {"X-Plan", "pro"}}},
		{"one is missing", map[string]string{"X-User": "ann", "X-Plan": "pro"}, "ann", []Field{{"X-User", "ann"}, {"X-Plan", "pro"}}},
		{"no name", map[string]string{"X-Team": "blue"}, "", []Field{{"X-Team", "blue"}}},
		{"a control character", map[string]string{"X-User": "ann", "X-Team": "blue\tgreen"}, "ann", []Field{{"X-User", "ann"}}},
		{"nothing", nil, "", nil},
	} {
		got := asked(t, headers, func(w http.ResponseWriter, r *http.Request) {
			if r.Method != http.MethodGet || r.Header.Get("X-Asked") != "yes" {
				w.WriteHeader(http.StatusTeapot)
			}
			for name, value := range c.answer {
				w.Header().Set(name, value)
			}
		})
		if want := (Answer{Result: OK, Who: c.who, Used: credentials, Set: c.set}); !reflect.DeepEqual(got, want) {
			t.Errorf("%s: %+v, want %+v", c.name, got, want)
		}
	}
}

// TestForwardRefuses: each status has its own outcome, and a name that cannot be one lets no request pass.
func TestForwardRefuses(t *testing.T) {
	t.Parallel()
	status := func(code int) http.HandlerFunc {
		return func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("WWW-Authenticate", `Bearer realm="x"`)
			w.Header().Set("Location", "/elsewhere")
			w.WriteHeader(code)
		}
	}
	for name, c := range map[string]struct {
		answer http.HandlerFunc
		want   Result
		says   []string
	}{
		"401":        {status(401), Refused, []string{`Bearer realm="x"`}},
		"403":        {status(403), Forbidden, nil},
		"a redirect": {status(302), Unavailable, nil},
		"300":        {status(300), Unavailable, nil},
		"500":        {status(500), Unavailable, nil},
		"two names": {func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Add("X-User", "ann")
			w.Header().Add("X-User", "bob")
		}, Unavailable, nil},
		"a control name": {func(w http.ResponseWriter, _ *http.Request) { w.Header().Set("X-User", "a\tb") }, Unavailable, nil},
	} {
		got := asked(t, []string{"X-User"}, c.answer)
		if got.Result != c.want || !reflect.DeepEqual(got.Challenge, c.says) || got.Who != "" || got.Why == "" {
			t.Errorf("%s: %+v", name, got)
		}
	}
	if got := asked(t, nil, status(299)); got.Result != OK {
		t.Errorf("299: %+v", got)
	}
}
