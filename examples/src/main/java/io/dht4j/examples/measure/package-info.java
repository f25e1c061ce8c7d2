/** Measuring a transport of one's own. */
@NullMarked
package io.dht4j.examples.measure;

import org.jspecify.annotations.NullMarked;
