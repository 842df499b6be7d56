package wire

import (
	"encoding/binary"
	"encoding/hex"
	"hash/crc32"
	"strings"
	"testing"
)

// amazonMessage is a message with these headers, as the wire has them.
func amazonMessage(head, payload string) string {
	b := binary.BigEndian.AppendUint32(nil, uint32(amazonFrame+len(head)+len(payload)))
	b = binary.BigEndian.AppendUint32(b, uint32(len(head)))
	b = binary.BigEndian.AppendUint32(b, crc32.ChecksumIEEE(b))
	b = append(append(b, head...), payload...)
	return string(binary.BigEndian.AppendUint32(b, crc32.ChecksumIEEE(b)))
}

// amazonMessages are events of the type e.
func amazonMessages(payloads ...string) string {
	var all strings.Builder
	for _, p := range payloads {
		all.WriteString(amazonMessage("\x0b:event-type\x07\x00\x01e\x0d:content-type\x07\x00\x10application/json\x0d:message-type\x07\x00\x05event", p))
	}
	return all.String()
}

// amazonOtherHeaders has a header of each type, and one of each message that is no event.
var amazonOtherHeaders = amazonMessage("\x01a\x00\x01b\x01\x01c\x02\x07\x01d\x03\x00\x01\x01e\x04\x00\x00\x00\x01\x01f\x05\x00\x00\x00\x00\x00\x00\x00\x01"+
	"\x01g\x06\x00\x02xy\x01h\x08\x00\x00\x00\x00\x00\x00\x00\x01\x01i\x090123456789abcdef\x0b:event-type\x07\x00\x02ok", "{}") +
	amazonMessage("\x0f:exception-type\x07\x00\x13throttlingException", `{"message":"slow"}`) +
	amazonMessage("\x0b:error-code\x07\x00\x04Code\x0e:error-message\x07\x00\x04text", "")

func TestAmazonEventStream(t *testing.T) {
	s := NewSplitter(AmazonEventStream, 100)
	f := func(in string, want ...string) { t.Helper(); checkSplit(t, s, in, want...) }
	whole := amazonMessages("{}")

	f("")
	f(amazonMessages("{}", "a\nb", ""), "event=e <{}>", "event=e <a\nb>", "event=e <>")
	f(amazonOtherHeaders, "event=ok <{}>", `event=throttlingException <{"message":"slow"}>`, "event=Code <text>")
	f(amazonMessage("", "{}"), "<{}>")
	f(whole[:len(whole)-1], "!cut")
	f(whole+whole[:5], "event=e <{}>", "!cut")
	f("{\"a\":\"0123456789\"}", "!"+ReasonBadPrefix)
	f(whole+"data: {}\n\ndata: {}\n\n", "event=e <{}>", "!"+ReasonBadPrefix)
	f(whole[:len(whole)-5]+"]"+whole[len(whole)-4:], "!"+ReasonBadChecksum)
	f(whole[:len(whole)-1]+"\x00", "!"+ReasonBadChecksum)
	checkLimit(t, AmazonEventStream, amazonMessages("0123456789"), 10)
}

// TestAmazonLengths: a length is refused when it has come, before memory for what it announces has.
func TestAmazonLengths(t *testing.T) {
	prelude := func(size, head uint32) string {
		b := binary.BigEndian.AppendUint32(nil, size)
		b = binary.BigEndian.AppendUint32(b, head)
		return string(binary.BigEndian.AppendUint32(b, crc32.ChecksumIEEE(b)))
	}
	f := func(size, head uint32, reason string) {
		t.Helper()
		checkSplit(t, NewSplitter(AmazonEventStream, 100), prelude(size, head), "!"+reason)
	}
	f(117, 0, ReasonTooLarge)
	f(116, 0, ReasonCut)
	f(1<<32-1, 0, ReasonTooLarge)
	f(1<<32-1, 1<<32-1, ReasonBadPrefix)
	f(0, 0, ReasonBadPrefix)
	f(15, 0, ReasonBadPrefix)
	f(20, 5, ReasonBadPrefix)
	f(maxAmazonHead+17, maxAmazonHead+1, ReasonBadHeader)
	f(maxAmazonHead+16, maxAmazonHead, ReasonCut)
}

func TestAmazonBadHeaders(t *testing.T) {
	for _, head := range []string{"\x01", "\x01a", "\x01a\x0a", "\x01a\xff", "\x01a\x02", "\x01a\x07", "\x01a\x07\x00", "\x01a\x07\x00\x02x", "\x00\x00\x05ab", "\x01a\x091"} {
		checkSplit(t, NewSplitter(AmazonEventStream, 0), amazonMessage(head, "{}"), "!"+ReasonBadHeader)
	}
	checkSplit(t, NewSplitter(AmazonEventStream, 0), amazonMessage("\x0b:event-type\x06\x00\x01x", "{}"), "<{}>") // no text
}

// TestAmazonSDK reads what an SDK has written.
func TestAmazonSDK(t *testing.T) {
	for _, in := range amazonRecorded {
		data, err := hex.DecodeString(in.hex)
		if err != nil {
			t.Fatal(err)
		}
		checkSplit(t, NewSplitter(AmazonEventStream, 0), string(data), in.want)
		o := NewOut(AmazonEventStream)
		event, body, _ := strings.Cut(strings.TrimSuffix(strings.TrimPrefix(in.want, "event="), ">"), " <")
		o.Begin(event)
		o.Buf = append(o.Buf, body...)
		if o.End(); hex.EncodeToString(o.Buf) != in.hex {
			t.Errorf("%s is written as\n%x\nwant\n%s", in.want, o.Buf, in.hex)
		}
	}
}

// TestOutAmazonNames: exceptions have a header of their own, and names a bound.
func TestOutAmazonNames(t *testing.T) {
	f := func(event, want string) {
		t.Helper()
		o := NewOut(AmazonEventStream)
		o.Begin(event)
		o.End()
		if !strings.Contains(string(o.Buf), want) {
			t.Errorf("event %q gave %q, want %q", event, o.Buf, want)
		}
	}
	f("throttlingException", "\x0f:exception-type\x07\x00\x13throttlingException\x0d:content-type")
	f("throttlingException", ":message-type\x07\x00\x09exception")
	f("Exception", ":exception-type")
	f("xception", ":event-type")
	f("", "\x0d:content-type\x07\x00\x10application/json\x0d:message-type\x07\x00\x05event")
	f(strings.Repeat("x", 1000), ":event-type\x07\x00\xff"+strings.Repeat("x", 255)+"\x0d:content-type")
}

// amazonRecorded are the bytes that EventStreamCodec of @smithy/eventstream-codec 4.5.2 writes, with what they are.
var amazonRecorded = []struct{ hex, want string }{
	{
		"00000099000000574c3b5e5f0b3a6576656e742d74797065070011636f6e74656e74426c6f636b44656c74610d3a636f6e74656e742d747970650700" +
			"106170706c69636174696f6e2f6a736f6e0d3a6d6573736167652d747970650700056576656e747b22636f6e74656e74426c6f636b496e646578223a" +
			"302c2264656c7461223a7b2274657874223a224772c3bcc39f65227d7d1e4fd23a",
		`event=contentBlockDelta <{"contentBlockIndex":0,"delta":{"text":"Grüße"}}>`,
	},
	{
		"000000600000004e6d74c4b30b3a6576656e742d747970650700086d657461646174610d3a636f6e74656e742d747970650700106170706c69636174" +
			"696f6e2f6a736f6e0d3a6d6573736167652d747970650700056576656e747b7dc4711b5f",
		`event=metadata <{}>`,
	},
	{
		"00000090000000618e91a9b70f3a657863657074696f6e2d747970650700137468726f74746c696e67457863657074696f6e0d3a636f6e74656e742d" +
			"747970650700106170706c69636174696f6e2f6a736f6e0d3a6d6573736167652d74797065070009657863657074696f6e7b226d657373616765223a" +
			"22546f6f206d616e79207265717565737473227de67f8005",
		`event=throttlingException <{"message":"Too many requests"}>`,
	},
}
