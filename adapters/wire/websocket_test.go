package wire

import (
	"encoding/binary"
	"strings"
	"testing"
	"unicode/utf8"
)

// frame is one WebSocket frame as a client reads it.
type frame struct {
	opcode  byte
	payload string
}

// readFrames reads unmasked, unfragmented frames, as RFC 6455 §5.2 defines them.
func readFrames(t *testing.T, buf []byte) (frames []frame) {
	t.Helper()
	for len(buf) > 0 {
		if len(buf) < 2 || buf[0]&0xf0 != 0x80 || buf[1]&0x80 != 0 {
			t.Fatalf("bad frame header % x", buf[:min(len(buf), 14)])
		}
		opcode, size, head := buf[0]&0xf, uint64(buf[1]), 2
		switch size {
		case 126:
			size, head = uint64(binary.BigEndian.Uint16(buf[2:])), 4
		case 127:
			size, head = binary.BigEndian.Uint64(buf[2:]), 10
		}
		if head == 4 && size < 126 || head == 10 && size < 1<<16 {
			t.Fatalf("a header of %d bytes for %d bytes is longer than allowed", head, size)
		}
		if uint64(len(buf)-head) < size {
			t.Fatalf("frame of %d bytes in %d", size, len(buf)-head)
		}
		end := head + int(size)
		frames = append(frames, frame{opcode, string(buf[head:end])})
		buf = buf[end:]
	}
	return frames
}

func TestMessage(t *testing.T) {
	s := NewSplitter(WebSocket, 10)
	f := func(in string, want string) {
		t.Helper()
		rec, n, err := s.Split([]byte(in), false)
		if got := show(rec); got != want || n != len(in) || err != nil {
			t.Errorf("%q gave %q, %d, %v", in, got, n, err)
		}
	}
	f("", "~")
	f("{}\n{}", "<{}\n{}>")
	f("0123456789", "<0123456789>")
	s.Reset()
	if _, n, err := s.Split([]byte("0123456789a"), false); n != 0 || err.(*Error).Reason != ReasonTooLarge {
		t.Errorf("a message over the limit gave %d, %v", n, err)
	}
}

func TestAppendClose(t *testing.T) {
	f := func(code uint16, reason, want string) {
		t.Helper()
		got := AppendClose([]byte("x"), code, reason)
		if string(got[:1]) != "x" {
			t.Fatalf("close %d %q changed what was there", code, reason)
		}
		frames := readFrames(t, got[1:])
		if len(frames) != 1 || frames[0] != (frame{8, want}) || len(want) > 125 {
			t.Errorf("close %d %q gave %q, want %q", code, reason, frames, want)
		}
	}
	f(1000, "", "\x03\xe8")
	f(1011, "upstream cut", "\x03\xf3upstream cut")
	f(1000, strings.Repeat("x", 123), "\x03\xe8"+strings.Repeat("x", 123))
	f(1000, strings.Repeat("x", 124), "\x03\xe8"+strings.Repeat("x", 123))
	f(1000, strings.Repeat("x", 122)+"é", "\x03\xe8"+strings.Repeat("x", 122))
	f(1000, strings.Repeat("🙂", 40), "\x03\xe8"+strings.Repeat("🙂", 30))
	f(1000, "a\xffb", "\x03\xe8a\uFFFDb")
	for _, code := range []uint16{0, 1005, 1006, 1015} {
		f(code, "must not be sent", "")
	}
	if cut := cutRunes(strings.Repeat("é", 100), 123); !utf8.ValidString(cut) || len(cut) != 122 {
		t.Errorf("cut to %q", cut)
	}
}

func TestAppendPing(t *testing.T) {
	if frames := readFrames(t, AppendPing(nil)); len(frames) != 1 || frames[0] != (frame{9, ""}) {
		t.Errorf("ping is %q", frames)
	}
}
