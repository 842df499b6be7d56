package main

import (
	"fmt"
	"strings"
)

// These cases go through the families 1 to 7 and 10 of the Autobahn test suite, in words and bytes of this package: sizes and pieces, pings, reserved
// bits and opcodes (clientFrames), fragments, UTF-8, close codes. Family 9 measures speed; 12 and 13 are about compression, which Sabir does
// not agree to.

// asked is a message that asks for a run, with a text in it.
func asked(text string) string { return `{"messages":[],"stream":true,"x":"` + text + `"}` }

// goodSocket is a case that ends with a close frame of the client, which is answered.
func goodSocket(name string, bytes ...string) socketCase {
	return socketCase{name, []int{1000}, func(s *socket) {
		if s.handshake() == nil {
			_ = s.say(strings.Join(bytes, "") + masked(fin|opClose, closePayload(1000, "")))
		}
	}}
}

// octets is a frame that is written byte by byte.
func octets(name string, codes []int, frames string) socketCase {
	return socketCase{name, codes, func(s *socket) {
		if s.handshake() != nil {
			return
		}
		for i := range len(frames) {
			if s.say(frames[i:i+1]) != nil {
				return
			}
		}
	}}
}

// maskedPieces is a message in fragments of n bytes.
func maskedPieces(message string, n int) string {
	var b strings.Builder
	op := byte(opText)
	for ; len(message) > n; message = message[n:] {
		b.WriteString(masked(op, message[:n]))
		op = opContinuation
	}
	return b.String() + masked(fin|op, message)
}

// closed is a close frame of a client that ends the case.
var closed = masked(fin|opClose, closePayload(1000, ""))

// socketSizes are messages of all lengths of the length (family 1), and in pieces (5 and 10).
func socketSizes() (all []socketCase) {
	for _, n := range []int{1, 125, 126, 127, 128, 65535, 65536, 200_000} {
		message := asked("")
		if n > len(message) {
			message = asked(strings.Repeat("x", n-len(message)))
		}
		all = append(all, goodSocket(fmt.Sprintf("%d bytes", n), masked(fin|opText, message)))
		if n < 1000 {
			all = append(all, octets(fmt.Sprintf("%d bytes, byte by byte", n), []int{1000}, masked(fin|opText, message)+closed))
		}
		for _, size := range []int{1, 7, 128, 997, 65535} {
			if size < n && n/size < 2000 {
				all = append(all, goodSocket(fmt.Sprintf("%d bytes in fragments of %d", n, size), maskedPieces(message, size)))
			}
		}
	}
	return append(all,
		goodSocket("empty fragments around a message", masked(opText, "")+masked(opContinuation, asked(""))+masked(fin|opContinuation, "")),
		goodSocket("a ping between two fragments", masked(opText, asked("")[:5])+masked(fin|opPing, "p")+masked(fin|opContinuation, asked("")[5:])),
		goodSocket("a pong between two fragments", masked(opText, asked("")[:5])+masked(fin|opPong, "p")+masked(fin|opContinuation, asked("")[5:])),
	)
}

// socketPings are pings and pongs (family 2).
func socketPings() (all []socketCase) {
	for name, payload := range map[string]string{"empty": "", "of text": "Hi", "of bytes": "\x00\xff\xfe\xfd", "of 125 bytes": strings.Repeat("\xfe", 125)} {
		all = append(all, goodSocket("a ping "+name, masked(fin|opPing, payload)), goodSocket("an unrequested pong "+name, masked(fin|opPong, payload)),
			goodSocket("a pong and a ping "+name, masked(fin|opPong, payload)+masked(fin|opPing, payload)),
			octets("a ping byte by byte "+name, []int{1000}, masked(fin|opPing, payload)+closed), goodSocket("ten pings "+name, strings.Repeat(masked(fin|opPing, payload), 10)))
	}
	return append(all, after("a ping of 200 bytes", protocolError, masked(fin|opPing, strings.Repeat("x", 200))),
		after("a pong of 126 bytes", protocolError, masked(fin|opPong, strings.Repeat("x", 126))))
}

// letters are sequences of bytes that are UTF-8, at the borders of its lengths and around what is left out of it.
var letters = []string{
	"\x7f", "\u0080", "\u07ff", "\u0800", "\u0fff", "\ud7ff", "\ue000", "\ufdd0", "\ufffd", "\ufffe", "\uffff", "\U00010000", "\U0001ffff", "\U0001f600", "\U000fffff",
	"\U0010fffe", "\U0010ffff", "κόσμε", "e\u0301", "\u200b", "\ufeff",
}

// noLetters are sequences that are none.
var noLetters = []string{
	"\x80", "\xbf", "\x80\xbf", "\x80\xbf\x80\xbf\x80\xbf", "\xc0 ", "\xc1 ", "\xdf ", "\xe0 ", "\xef ", "\xf0 ", "\xf7 ", "\xf8 ", "\xfb ", "\xfc ", "\xfd ", "\xfe", "\xff",
	"\xfe\xfe\xff\xff", "\xc0", "\xe0\x80", "\xf0\x80\x80", "\xdf", "\xef\xbf", "\xf7\xbf\xbf", "\xc0\xaf", "\xe0\x80\xaf", "\xf0\x80\x80\xaf", "\xf8\x80\x80\x80\xaf",
	"\xfc\x80\x80\x80\x80\xaf", "\xc1\xbf", "\xe0\x9f\xbf", "\xf0\x8f\xbf\xbf", "\xf8\x87\xbf\xbf\xbf", "\xfc\x83\xbf\xbf\xbf\xbf", "\xc0\x80", "\xe0\x80\x80", "\xf0\x80\x80\x80",
	"\xed\xa0\x80", "\xed\xad\xbf", "\xed\xae\x80", "\xed\xaf\xbf", "\xed\xb0\x80", "\xed\xbe\x80", "\xed\xbf\xbf", "\xed\xa0\x80\xed\xb0\x80", "\xed\xaf\xbf\xed\xbf\xbf",
	"\xf4\x90\x80\x80", "\xf7\xbf\xbf\xbf", "\xf8\x88\x80\x80\x80", "\xfb\xbf\xbf\xbf\xbf", "\xfd\xbf\xbf\xbf\xbf\xbf", "κόσμε\xed\xa0\x80edited", "\xce\xba\xe1\xbd",
}

// socketLetters are messages with these (family 6), whole and in fragments of one byte.
func socketLetters() (all []socketCase) {
	for _, l := range letters {
		all = append(all, goodSocket(fmt.Sprintf("%+q", l), masked(fin|opText, asked(l))), goodSocket(fmt.Sprintf("%+q in fragments", l), maskedPieces(asked(l), 1)))
	}
	for _, l := range noLetters {
		all = append(all, socketCase{fmt.Sprintf("%q", l), notUTF8, func(s *socket) {
			if s.handshake() == nil {
				_ = s.say(masked(fin|opText, asked(l)))
			}
		}}, octets(fmt.Sprintf("%q in fragments", l), notUTF8, maskedPieces(asked(l), 1)))
	}
	return all
}

// socketCodes are close frames (family 7).
func socketCodes() (all []socketCase) {
	for _, code := range []uint16{1000, 1001, 1002, 1003, 1007, 1008, 1009, 1010, 1011, 3000, 3999, 4000, 4999} {
		all = append(all, after(fmt.Sprintf("the code %d", code), []int{int(code), 1000}, masked(fin|opClose, closePayload(code, "bye"))))
	}
	for _, code := range []uint16{0, 999, 1004, 1005, 1006, 1016, 1100, 2000, 2999, 5000, 65535} {
		all = append(all, after(fmt.Sprintf("the code %d, which is none", code), protocolError, masked(fin|opClose, closePayload(code, ""))))
	}
	return append(all,
		after("no code", []int{1000, 1005}, masked(fin|opClose, "")), after("half a code", append([]int{1000}, protocolError...), masked(fin|opClose, "\x03")),
		after("the longest reason", []int{1000}, masked(fin|opClose, closePayload(1000, strings.Repeat("x", 123)))),
		after("a reason that is too long", protocolError, masked(fin|opClose, closePayload(1000, strings.Repeat("x", 124)))),
		after("a reason that is no UTF-8", append([]int{1007}, protocolError...), masked(fin|opClose, closePayload(1000, "κόσμε\xed\xa0\x80"))),
		after("two close frames", []int{1000}, closed+closed), after("a ping after the close frame", []int{1000}, closed+masked(fin|opPing, "p")),
	)
}

// familyTheme makes one attack of a family, whose cases are too many to be named.
func familyTheme(name, about string, cases []socketCase) *attack {
	a := socketTheme(name, about, cases)
	a.tries = fmt.Sprintf("WebSocket client, %s: %d cases", about, len(cases))
	a.holds = "good ones are answered, and closed as the client asks; others are closed with a code that fits; the run behind them is given up"
	return a
}

func webSocketFamilies() []*attack {
	return []*attack{
		familyTheme("sizes", "messages of all lengths, whole, in fragments and byte by byte", socketSizes()),
		familyTheme("pings", "pings and pongs of all kinds", socketPings()),
		familyTheme("letters", "UTF-8 at all its borders, and what is none, whole and in fragments of one byte", socketLetters()),
		familyTheme("codes", "close frames with all kinds of codes and reasons", socketCodes()),
	}
}
