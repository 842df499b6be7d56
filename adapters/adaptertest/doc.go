// Package adaptertest is the one harness of all dialects. A dialect's test file is external and has three calls:
//
//	func TestDialect(t *testing.T) { adaptertest.Run(t, &evolve.Dialect) }
//	func TestAllocs(t *testing.T)  { adaptertest.Allocs(t, &evolve.Dialect) }
//	func FuzzDecode(f *testing.F)  { adaptertest.Fuzz(f, &evolve.Dialect) }
//
// # Fixtures
//
// testdata/*.txtar, one situation per file. The text before the first section says what it shows and where it comes
// from. Sections:
//
//	-- options --     k=v lines: options of the dialect, for decoder and encoder; and of the harness itself:
//	                framing=ndjson   how to read the wire, where its first bytes do not tell
//	                settle=0s        how long the end of the run is kept back; the dialect's own if not said
//	-- wire --        what the upstream sends. Or wire.cut: the last newline is not part of it, the stream ends inside a
//	                record. Or wire.hex: hexadecimal, white space is ignored; for binary framings and odd line ends.
//	-- events --      the decoded events, as package native writes them
//	-- normalized --  after the sequencer; optional
//	-- again --       what the dialect's own encoder writes for the normalized events, when that is not the wire: framed as the
//	                dialect is by default, or as lines where that would be binary
//	-- error --       the errors of decoding, one a line
//
// A fixture without a wire begins with its events: it shows what the encoder makes of streams of other dialects. One whose
// name begins with deltas is the one in which Allocs counts.
//
// # What a fault means
//
// "read back from X" comes from the cross product: X's encoder claimed with its disposition to have carried an event, and X's
// decoder does not find it. Either the disposition is too proud (Folded is no shame), or one of the two is wrong.
//
// An invariant (I1 to I13) that breaks in a sequenced stream is a fault of the sequencer, or of a decoder whose events
// hold something that is not JSON (I12).
//
// go test ./adapters/evolve -update writes events and error, normalized if the section is there, and again if it differs
// from the wire. Read the diff: unchecked expectations prove nothing.
package adaptertest
