package config

import "testing"

// TestBodies: unless it says otherwise, the room for request bodies has place for the largest that a route accepts.
func TestBodies(t *testing.T) {
	f := func(more, route string, want Size) {
		t.Helper()
		c := parseText(t, "listen: :0\nupstreams: {x: {url: http://h, dialect: evolve}}\n"+more+
			"routes: [{path: /a, upstream: x, client: agui"+route+"}, {path: /b, upstream: x, client: agui}]\n")
		if c.Limits.Bodies != want {
			t.Errorf("%s%s: room for %s, want %s", more, route, c.Limits.Bodies, want)
		}
	}
	normal := defaults().Limits.Bodies
	f("", "", normal)
	f("", ", limits: {request_body: 4GiB}", 4*GiB)
	f("limits: {request_body: 3GiB}\n", "", 3*GiB)
	f("limits: {request_body: 3GiB}\n", ", limits: {request_body: 1KiB}", 3*GiB)
	f("limits: {request_body: 1KiB, bodies: 1MiB}\n", "", MiB)
}
