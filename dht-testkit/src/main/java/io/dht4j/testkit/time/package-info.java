/** Virtual time: an environment in one thread in which an hour passes at once, the same for the same seed. */
@NullMarked
package io.dht4j.testkit.time;

import org.jspecify.annotations.NullMarked;
