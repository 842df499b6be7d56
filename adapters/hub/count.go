package hub

// Sizes of the vocabularies, for arrays of counters indexed by their values.
const (
	NumKinds = int(kindCount)
	NumFates = int(fateCount)
)

// Fates lists every fate.
func Fates() []Fate {
	all := make([]Fate, NumFates)
	for i := range all {
		all[i] = Fate(i)
	}
	return all
}

// NumClasses is the size of the vocabulary of classes.
const NumClasses = int(classCount)
