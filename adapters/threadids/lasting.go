package threadids

// Lasting reports whether an id is unique beyond its run by its looks: it holds a UUID, letters and digits as chance
// mixes them, or a time. A wrong no costs an id its looks; a wrong yes lets an id come again, so it is hard to get: words
// with a number, short ids and counters are not lasting, whatever they are made of.
func Lasting(id []byte) bool {
	for rest := id; len(rest) > 0; {
		n := segmentLen(rest)
		if n == 0 {
			rest = rest[1:]
			continue
		}
		if isRandom(rest[:n]) || isTime(rest[:n]) || startsUUID(rest) {
			return true
		}
		rest = rest[n:]
	}
	return false
}

// segmentLen is how many letters and digits id begins with.
func segmentLen(id []byte) int {
	for i, c := range id {
		if !isLetter(c) && !isDigit(c) {
			return i
		}
	}
	return len(id)
}

// isRandom reports whether letters and digits, or capitals and small letters, change as often as they do by chance. In
// made-up names they change a few times: step2, turn1message2, assistantMessage12.
func isRandom(s []byte) bool {
	const (
		short, manyChanges = 10, 4
		long, fewChanges   = 20, 2
		manyOfBoth         = 6
	)
	changes, cases := 0, 0
	for i := 1; i < len(s); i++ {
		if isDigit(s[i]) != isDigit(s[i-1]) {
			changes++
		} else if s[i]&0x20 != s[i-1]&0x20 {
			cases++
		}
	}
	return len(s) >= short && changes >= manyChanges || len(s) >= long && (changes >= fewChanges || changes > 0 && changes+cases >= manyOfBoth)
}

// isTime reports whether s is a number as large as a time in seconds, or larger.
func isTime(s []byte) bool {
	const digitsOfSeconds = 10
	for _, c := range s {
		if !isDigit(c) {
			return false
		}
	}
	return len(s) >= digitsOfSeconds && s[0] != '0'
}

// startsUUID reports whether s begins with a UUID in its usual form.
func startsUUID(s []byte) bool {
	const length = 36
	if len(s) < length {
		return false
	}
	zero := true
	for i, c := range s[:length] {
		switch i {
		case 8, 13, 18, 23:
			if c != '-' {
				return false
			}
		default:
			if !isDigit(c) && (c|0x20 < 'a' || c|0x20 > 'f') {
				return false
			}
			zero = zero && c == '0'
		}
	}
	return !zero
}

func isLetter(c byte) bool { return c|0x20 >= 'a' && c|0x20 <= 'z' }

func isDigit(c byte) bool { return c >= '0' && c <= '9' }
