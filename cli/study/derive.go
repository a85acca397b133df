package study

// Values of keys follow from values of others by the steps of these tables, in this order: each
// step sees what the earlier ones have set. The first two apply to all configurations of a study,
// the last to each. After them the rules of the keys set the keys that have no effect
// ([Point.ignore]).

// listSteps find the values of every key.
var listSteps = []func(*axes) error{
	(*axes).usePreset,    // application.preset gives values to keys that the user has not given
	(*axes).parse,        // what was written
	(*axes).kindsOfNoise, // --noise none is none, and a described noise of the network acts
	(*axes).imbalances,   // an imbalance of no computing is refused
	(*axes).assume,       // assume gives defaults to keys that nobody has given
	(*axes).resolve,      // =path is the values of another key
	(*axes).belong,       // collectives must do what --operation asks for
}

// studySteps read the files that values name, and replace the names by the names in results.
var studySteps = []func(*Study) error{
	(*Study).readProfiles,
	(*Study).readTimes,
	(*Study).readFiles,
	(*Study).settings, // seed, trials and choice
}

// pointSteps set the values of one configuration.
var pointSteps = []func(*Study, Point) error{
	(*Study).measured,   // the profile has the noise, and what messages cost
	(*Study).fitAssumed, // an overhead that is assumed is part of the latency
	(*Study).place,      // ranks follow from nodes or the topology
	(*Study).measure,    // the file of compute times has the work
	(*Study).iterate,    // iterations of an application, and how many are not counted
}

// parseAll finds the values of all keys, given their texts.
func (a *axes) parseAll() error {
	for _, step := range listSteps {
		if err := step(a); err != nil {
			return err
		}
	}
	return nil
}
