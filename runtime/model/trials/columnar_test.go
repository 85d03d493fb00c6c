package trials_test

import _ "likc/runtime/model/trials/columnar" // the tests of package trials read Parquet too
