/* Sorts N random numbers by merging, bottom up: streams of different strides over two arrays.
 *
 *   gcc -O1 -static -o sort_small sort_small.c
 *   valgrind --tool=lackey --trace-mem=yes --log-file=sort_small.lackey ./sort_small 65536
 *
 * Argument: how many numbers. The program ends with 1 if they are not sorted.
 */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

static void merge(const uint32_t *from, uint32_t *to, long first, long middle, long end)
{
    long left = first, right = middle;
    for (long i = first; i < end; i++) {
        if (left < middle && (right >= end || from[left] <= from[right])) to[i] = from[left++];
        else to[i] = from[right++];
    }
}

int main(int argc, char **argv)
{
    long count = argc > 1 ? atol(argv[1]) : 65536;
    if (count < 1) {
        fprintf(stderr, "usage: sort_small [NUMBERS]\n");
        return 2;
    }
    uint32_t *numbers = malloc((size_t)count * sizeof *numbers), *other = malloc((size_t)count * sizeof *other);
    if (numbers == NULL || other == NULL) {
        fprintf(stderr, "no memory\n");
        return 1;
    }
    uint32_t state = 12345;
    for (long i = 0; i < count; i++) {
        state = state * 1664525u + 1013904223u; /* Numerical Recipes in C, 2nd edition, p. 284 */
        numbers[i] = state;
    }
    for (long width = 1; width < count; width *= 2) {
        for (long first = 0; first < count; first += 2 * width) {
            long middle = first + width < count ? first + width : count;
            long end = first + 2 * width < count ? first + 2 * width : count;
            merge(numbers, other, first, middle, end);
        }
        uint32_t *swap = numbers;
        numbers = other;
        other = swap;
    }
    for (long i = 1; i < count; i++)
        if (numbers[i - 1] > numbers[i]) return 1;
    printf("%u %u\n", numbers[0], numbers[count - 1]);
    return 0;
}
