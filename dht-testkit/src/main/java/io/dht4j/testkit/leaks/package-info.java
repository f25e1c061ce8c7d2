/** Detection of leaked resources. */
@NullMarked
package io.dht4j.testkit.leaks;

import org.jspecify.annotations.NullMarked;
