package upstream

import (
	"strings"
	"testing"

	"github.com/valyala/fasthttp"
)

// TestMediaType: it is without parameters, in small letters, and never what could be anything.
func TestMediaType(t *testing.T) {
	t.Parallel()
	long := "application/" + strings.Repeat("x", 89)
	for field, want := range map[string]string{
		"":                                      NoMediaType,
		"text/event-stream":                     "text/event-stream",
		"application/json":                      "application/json",
		"Application/JSON; charset=utf-8":       "application/json",
		"text/event-stream; charset":            "text/event-stream",
		"what it is not":                        "a bad content type",
		"/":                                     "a bad content type",
		long:                                    "a bad content type",
		long[1:]:                                long[1:],
		"application/vnd.amazon.eventstream; x": "application/vnd.amazon.eventstream",
	} {
		var h fasthttp.ResponseHeader
		h.SetNoDefaultContentType(true)
		h.SetContentType(field)
		if got := MediaType(&h); got != want {
			t.Errorf("%q is %q, want %q", field, got, want)
		}
	}
}
