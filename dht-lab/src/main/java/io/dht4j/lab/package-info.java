/** The interfaces for measurements of a team's own transport or store, and their loading. */
@NullMarked
package io.dht4j.lab;

import org.jspecify.annotations.NullMarked;
