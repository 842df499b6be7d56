package process

import (
	"errors"
	"io"
	"strings"
	"testing"
	"testing/iotest"
	"time"
)

// TestMessages: messages with headers are lines, wherever they are cut, and what is no message ends the stream behind those before it.
func TestMessages(t *testing.T) {
	f := func(in, want string, wantErr error) {
		t.Helper()
		for name, src := range map[string]io.Reader{"at once": strings.NewReader(in), "byte by byte": iotest.OneByteReader(strings.NewReader(in))} {
			m := newMessages(20)
			var got []byte
			var err error
			for err == nil {
				got, err = m.read(got, src)
			}
			if string(got) != want || !errors.Is(err, wantErr) {
				t.Errorf("%s, %s: got %q and %v, want %q and %v", in, name, got, err, want, wantErr)
			}
			if again, twice := m.read(nil, src); len(again) > 0 || !errors.Is(twice, wantErr) {
				t.Errorf("%s, %s: then come %q and %v", in, name, again, twice)
			}
		}
	}
	f("", "", io.EOF)
	f("Content-Length: 2\r\n\r\n{}", "{}\n", io.EOF)
	f("Content-Type: x\r\ncontent-length: 2\r\n\r\n{}Content-Length: 3\n\n[1]", "{}\n[1]\n", io.EOF)
	f("Content-Length: 8\r\n\r\n{\r\n\"a\":\n", "{  \"a\": \n", io.EOF)
	f("Content-Length: 0\r\n\r\nContent-Length: 2\r\n\r\n{}", "{}\n", io.EOF)
	f("Content-Length: 2\r\n\r\n{}Content-Length: 9\r\n\r\n{", "{}\n", io.EOF)
	f("Content-Length: 2\r\n\r\n{}Content-Length: 21\r\n\r\n", "{}\n", ErrLongLine)
	f("Content-Length: 2\r\n\r\n{}Welcome!\n", "{}\n", ErrHeader)
	f("Content-Type: x\r\n\r\n", "", ErrHeader)
}

// TestHeadersInBothDirections: an agent whose messages have headers gets the lines that are sent to it so, and what it says are lines.
func TestHeadersInBothDirections(t *testing.T) {
	p, err := Start(Spec{Command: []string{"cat"}, Dir: t.TempDir(), Env: []string{"PATH=/usr/bin:/bin"}, MaxLine: 100, Headers: true})
	if err != nil {
		t.Fatal(err)
	}
	defer p.End()
	if err := p.Send([]byte("{\"a\":1}\n{\"b\":2}\n"), time.Now().Add(time.Minute)); err != nil {
		t.Fatal(err)
	}
	p.CloseInput()
	var got []byte
	for err == nil {
		got, err = p.Next(got)
	}
	if want := "{\"a\":1}\n{\"b\":2}\n"; string(got) != want || err != io.EOF {
		t.Errorf("got %q and %v, want %q", got, err, want)
	}
}
