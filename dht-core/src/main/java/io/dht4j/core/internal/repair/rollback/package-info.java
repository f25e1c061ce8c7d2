/** Detection of rolled-back disks, and the reads that are refused until a rollback is repaired. */
@NullMarked
package io.dht4j.core.internal.repair.rollback;

import org.jspecify.annotations.NullMarked;
