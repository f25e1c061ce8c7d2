/** Detection of leaked resources: collected garbage, and buffers that were not released. */
@NullMarked
package io.dht4j.testkit.leaks;

import org.jspecify.annotations.NullMarked;
